import { chance } from "../chance.ts";
import { virtualTime } from "../virtual-time.ts";
import { type Invocations, invocations } from "./invocations.ts";
import { buildScene, type Scene, type ServedGroup } from "./scene.ts";
import { together } from "./witness.ts";

const startMs = Date.UTC(2026, 8, 1, 12);
const minuteMs = 60_000;

export interface QuietScene extends Scene {
  readonly served: ServedGroup;
  readonly runs: Invocations;
  /** Lets so many milliseconds pass. */
  pass(ms: number): Promise<void>;
}

/**
 * One Worker group with one pool where nothing goes wrong: calls take as long as they do in one region (Auto Scaling and
 * EC2 20 to 160 ms, the Control Plane 4 to 40 ms), and the schedule is as late as EventBridge may be.
 */
export async function playQuietly(
  seed: number,
  { max, jitterMs }: { readonly max: number; readonly jitterMs: number },
  play: (scene: QuietScene) => Promise<void>,
): Promise<void> {
  const time = virtualTime(startMs);
  const giveTimersBack = time.takeTimers();
  try {
    const luck = chance(seed);
    const pool = {
      name: "general",
      autoScalingGroup: "default-0",
      min: 1,
      max,
      idleMinutes: 60,
      step: undefined,
      hooked: false,
      policy: undefined,
      primaryMinimum: undefined,
    };
    const calm = { model: {}, troubledMinutes: 0, callTrouble: 0, crashes: 0, accidents: 0, lagMs: 0, jitterMs };
    const stage = { seed, time, chance: luck, tell: () => {} };
    const scene = buildScene(stage, () => {}, { ...calm, groups: [{ name: "default", pools: [pool] }] });
    scene.isTroubled = false;
    const runs = invocations(scene, together([]));
    const everyMinute = () => {
      time.after(luck.whole(0, jitterMs), runs.start);
      time.after(minuteMs, everyMinute);
    };
    everyMinute();
    const [served] = scene.groups;
    if (served === undefined) throw new Error("The setting has no Worker group.");
    await play({
      ...scene,
      served,
      runs,
      async pass(ms) {
        const until = time.now() + ms;
        time.at(until, () => {});
        while (time.now() < until) await time.step();
      },
    });
  } finally {
    giveTimersBack();
  }
}
