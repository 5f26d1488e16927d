import { queuedJobs } from "../../../infra/local/zoomies/fleet.ts";
import type { PoolReading } from "../../../infra/local/zoomies/scheduler-pass.ts";
import type { Machine } from "./machines.ts";
import { freshMs, type GroupSetting, joinDeadlineMs, minute } from "./setting.ts";
import type { ZoomiesStage } from "./stage-parts.ts";

/** A reading counts for so long, and what it led to may come a little later. */
const rememberedMs = freshMs + minute;
/** Hosts that did not count so long ago may have been bought on top. */
const lostRememberedMs = 5 * minute;

interface Look {
  readonly at: number;
  /** Slots that any pool counted, that each of them missed, and that all of them want. */
  readonly capacity: number;
  readonly shortfalls: readonly number[];
  readonly wanted: number;
  /** Hosts in desired capacity that Zoomies does not count. */
  readonly lost: number;
}

/** How many hosts a group may have been raised to by what its pools said in the last while: nothing is bought twice. */
export function fairRaise(stage: ZoomiesStage, all: ReadonlyMap<string, Machine>) {
  const looks = new Map<string, Look[]>();

  function uncounted(group: GroupSetting): number {
    const { controller, cloud, time } = stage;
    const instances = cloud.group(group.name)?.Instances ?? [];
    const alive = instances.filter(({ LifecycleState: state = "" }) => state === "InService" || /^Pending/.test(state));
    return alive.filter(({ InstanceId }) => {
      const machine = all.get(InstanceId ?? "");
      const host = controller.fleet.hosts.get(machine?.hostId ?? "");
      if (machine === undefined) return false;
      if (host === undefined) return machine.hostId !== undefined || time.now() - machine.bornAt > joinDeadlineMs / 2;
      return host.cordoned || host.incompatible || host.silentSince !== undefined;
    }).length;
  }

  function wanted(group: GroupSetting): number {
    const { fleet } = stage.controller;
    return group.pools.reduce((sum, { id, minRunners = 0 }) => {
      const runners = [...fleet.runners.values()].filter((runner) => runner.pool === id);
      return sum + Math.max(minRunners, runners.length + queuedJobs(fleet, id).length);
    }, 0);
  }

  return {
    onPass(readings: readonly PoolReading[]): void {
      const now = stage.time.now();
      for (const group of stage.setting.groups) {
        const own = readings.filter(({ pool }) => group.pools.some(({ id }) => id === pool.id));
        const list = looks.get(group.name) ?? [];
        list.push({
          at: now,
          capacity: Math.max(0, ...own.map(({ currentCapacity }) => currentCapacity)),
          shortfalls: own.map((reading) => reading.shortfall ?? 0),
          wanted: wanted(group),
          lost: uncounted(group),
        });
        while ((list[0]?.at ?? now) < now - rememberedMs) list.shift();
        looks.set(group.name, list);
      }
    },
    /**
     * The most hosts that the group could fairly be raised to now. What each pool missed counts on top of what another
     * one counted a while ago, as readings are combined (target.ts).
     */
    most(group: GroupSetting): number {
      const { name, slots, outsideSlots, min } = group;
      const list = looks.get(name) ?? [];
      const largest = (of: (look: Look) => number, since: number) =>
        Math.max(0, ...list.filter(({ at }) => at >= stage.time.now() - since).map(of));
      const missed = group.pools.map((_, index) => largest(({ shortfalls }) => shortfalls[index] ?? 0, rememberedMs));
      const read = missed.reduce(
        (sum, each) => sum + each,
        largest(({ capacity }) => capacity, rememberedMs),
      );
      const asked = Math.max(
        read,
        wanted(group),
        largest((look) => look.wanted, rememberedMs),
      );
      const lost = Math.max(
        uncounted(group),
        largest((look) => look.lost, lostRememberedMs),
      );
      return Math.max(min, Math.ceil(Math.max(0, asked - outsideSlots) / slots)) + lost;
    },
  };
}
