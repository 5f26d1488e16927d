import type { Life } from "../crash-points.ts";
import type { Scene } from "./scene.ts";

/** The update stream as an invocation's client follows it: hints come late and joined, connections break and come back. */
export function followFeed(
  scene: Scene,
  alive: Life,
  onChange: () => void,
  onLost: (reason: string) => void,
): { close(): void } {
  const { time, feed } = scene;
  const chance = scene.chance.fork();
  let isClosed = false;
  let isComing = false;
  let leave = () => {};

  function hint(): void {
    if (isComing) return;
    isComing = true;
    time.after(chance.whole(10, 150), () => {
      isComing = false;
      if (!isClosed && alive.alive) onChange();
    });
  }

  function lost(reason: string): void {
    if (isClosed || !alive.alive) return;
    onLost(reason);
    time.after(chance.whole(500, 15_000), connect);
  }

  function connect(): void {
    if (isClosed || !alive.alive) return;
    if (feed.state === "refused" || scene.isDown || scene.isTokenStale()) {
      lost("refused");
      return;
    }
    leave = feed.subscribe({ change: hint, cut: () => lost("cut") });
    // The contract: a change event on connection.
    hint();
  }

  connect();
  return {
    close() {
      isClosed = true;
      leave();
    },
  };
}
