import type { ControlPlaneModel } from "./model/control-plane-model.ts";
import { isCapacityChange } from "./model/events.ts";

/** One connection to the update stream. */
interface UpdateSubscriber {
  /** Something capacity-relevant was committed; the transport joins several into one event. */
  change(): void;
  cut(): void;
}

/** The source of the update stream, and what a test does to it. Hints that nobody could hear are lost: there is no replay. */
export interface UpdateFeed {
  readonly open: number;
  subscribe(subscriber: UpdateSubscriber): () => void;
  /** Ends all connections; new ones are welcome. */
  cut(): void;
  /** `silent`: no change event is sent, heartbeats are. `stalled`: nothing at all, on open connections. */
  state: "flowing" | "silent" | "stalled" | "refused";
  close(): void;
}

export function createUpdateFeed(model: ControlPlaneModel): UpdateFeed {
  const subscribers = new Set<UpdateSubscriber>();
  const stop = model.on((event) => {
    if (feed.state !== "flowing" || !isCapacityChange(event)) return;
    for (const subscriber of [...subscribers]) subscriber.change();
  });
  const feed: UpdateFeed = {
    get open() {
      return subscribers.size;
    },
    state: "flowing",
    subscribe(subscriber) {
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
    cut() {
      for (const subscriber of [...subscribers]) {
        subscribers.delete(subscriber);
        subscriber.cut();
      }
    },
    close() {
      stop();
      feed.cut();
    },
  };
  return feed;
}
