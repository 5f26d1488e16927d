import { refusing } from "../edge/mode.ts";
import type { Groups } from "./group.ts";
import type { Hooks } from "./hooks.ts";
import type { Instances, Launches } from "./instances.ts";
import type { Shrink } from "./shrink.ts";

/** The ports of a stack that only observes: reads are the given ones, and what would change something is not sent. */

export const observingGroups = (groups: Groups): Groups => ({
  ...groups,
  raise: async () => ({ outcome: "observed" }),
});

export const observingInstances = (instances: Instances): Instances => ({
  ...instances,
  end: async (ids) => ids.map((id) => ({ id, outcome: "observed" })),
});

export const observingLaunches: Launches = { launch: async () => ({ outcome: "observed" }) };

/** Nobody who observes comes as far as these: the protocols' own observing acts end before. */
export const observingShrink = (shrink: Shrink): Shrink => refusing(shrink, ["terminate"]);
export const observingHooks = (hooks: Hooks): Hooks => refusing(hooks, ["complete", "heartbeat"]);
