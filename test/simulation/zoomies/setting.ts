import type { GroupSpec } from "../../../infra/local/aws/auto-scaling/group-spec.ts";
import { groupOf, type ZoomiesFleet } from "../../../infra/local/fleets.ts";
import { launchHook } from "../../../infra/local/launch-hook.ts";
import type { Pool } from "../../../infra/local/zoomies/fleet.ts";
import type { Chance } from "../chance.ts";
import { drawHazards, type Hazards } from "./hazards.ts";

export const stack = "prod";
export const account = "123456789012";
export const region = "eu-west-1";
export const minute = 60_000;

/** The stack's parameters, as the template has them by default. */
export const schedulerIntervalMs = 10_000;
export const joinDeadlineMs = 10 * minute;
export const freshMs = 15 * minute;

/** One group as the seed made it. */
export interface GroupSetting {
  readonly name: string;
  readonly spec: GroupSpec;
  readonly pools: readonly (Partial<Pool> & { id: string })[];
  readonly slots: number;
  readonly min: number;
  readonly max: number;
  readonly outsideSlots: number;
  readonly idleMs: number;
}

export interface Setting {
  readonly groups: readonly GroupSetting[];
  readonly hazards: Hazards;
  /** How far Zoomies' clock is from ours. */
  readonly skewMs: number;
  readonly cooldownMs: number;
  /** How far behind AWS's Describe calls are. */
  readonly describeLagMs: number;
  /** The load ends after so long; from then on nothing more goes wrong. */
  readonly loadMs: number;
}

export function drawSetting(chance: Chance): Setting {
  const groups = Array.from({ length: chance.pick([1, 1, 1, 2, 2, 3]) }, (_, index) =>
    drawGroup(chance, `g${index + 1}`),
  );
  const loadMs = chance.whole(30, 75) * minute;
  return {
    groups,
    hazards: drawHazards(chance, loadMs),
    skewMs: chance.is(0.5) ? 0 : chance.whole(-60_000, 60_000),
    cooldownMs: chance.pick([1, 2, 10]) * minute,
    describeLagMs: chance.is(0.6) ? 0 : chance.whole(200, 6_000),
    loadMs,
  };
}

function drawGroup(chance: Chance, name: string): GroupSetting {
  const slots = chance.pick([1, 2, 2, 3, 4]);
  const min = chance.pick([0, 0, 0, 1, 2]);
  const max = min + chance.whole(1, 5);
  const backend = chance.pick(["docker", "docker", "podman"]);
  // Warm runners that filled every host for ever would leave no room for jobs.
  const isWarm = chance.is(0.3) && slots * max > 3;
  const pools = Array.from({ length: chance.pick([1, 1, 2, 3]) }, (_, index) => ({
    id: `pool_${name}${"abc"[index]}`,
    selector: { fleet: name, ...(chance.is(0.5) ? { os: "linux" } : {}) },
    backend,
    minRunners: isWarm ? chance.whole(0, 1) : 0,
    maxRunners: chance.pick([100, 100, 100, slots * max]),
  }));
  return groupSetting({
    name,
    slots,
    min,
    max,
    pools,
    outsideSlots: chance.is(0.15) ? slots : 0,
    idleMinutes: chance.whole(1, 5),
    tags: {
      "drover:zoomies-backend": backend,
      "drover:drain-minutes": String(chance.whole(5, 30)),
      "drover:max-drains": String(chance.pick([1, 1, 2])),
      ...(chance.is(0.2) ? { "drover:max-launch-step": String(chance.whole(1, 2)) } : {}),
    },
    hooks: drawHooks(chance),
  });
}

interface GroupDraft {
  readonly name: string;
  readonly slots: number;
  readonly min: number;
  readonly max: number;
  readonly idleMinutes: number;
  readonly pools: readonly (Partial<Pool> & { id: string })[];
  readonly outsideSlots?: number;
  readonly tags?: Readonly<Record<string, string>>;
  readonly hooks?: NonNullable<GroupSpec["hooks"]>;
}

/** A group that Drover looks after, with the example's launch hook unless other hooks are given. */
export function groupSetting(draft: GroupDraft): GroupSetting {
  const { name, slots, min, max, idleMinutes, pools, outsideSlots = 0, hooks = [launchHook] } = draft;
  const tags: Record<string, string> = {
    "drover:scale-in": "verified",
    "drover:host-selector/fleet": name,
    "drover:host-selector/os": "linux",
    "drover:idle-minutes": String(idleMinutes),
    ...(outsideSlots > 0 ? { "drover:outside-slots": String(outsideSlots) } : {}),
    ...draft.tags,
  };
  const fleet: ZoomiesFleet = {
    name,
    pools: pools.map(({ id }) => id),
    slotsPerHost: slots,
    minSize: min,
    maxSize: max,
    tags,
    group: { hooks },
  };
  return { name, spec: groupOf(fleet, stack), pools, slots, min, max, outsideSlots, idleMs: idleMinutes * minute };
}

/** The example's launch hook, a group without one, and sometimes a hook for the end. */
function drawHooks(chance: Chance): NonNullable<GroupSpec["hooks"]> {
  const end = {
    name: "drover-end",
    transition: "terminating",
    heartbeatTimeout: chance.pick([300, 300, 900, 3600]),
    defaultResult: chance.pick(["CONTINUE", "ABANDON"] as const),
  } as const;
  return [...(chance.is(0.8) ? [launchHook] : []), ...(chance.is(0.35) ? [end] : [])];
}
