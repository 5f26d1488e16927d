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
  /** Slots that the group's pools asked for, at most. */
  readonly slots: number;
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

  return {
    onPass(readings: readonly PoolReading[]): void {
      const now = stage.time.now();
      for (const group of stage.setting.groups) {
        const own = readings.filter(({ pool }) => group.pools.some(({ id }) => id === pool.id));
        const capacity = Math.max(0, ...own.map(({ currentCapacity }) => currentCapacity));
        const shortfall = own.reduce((sum, reading) => sum + (reading.shortfall ?? 0), 0);
        const wanted = own.reduce((sum, { pool, queuedJobs }) => {
          const runners = [...stage.controller.fleet.runners.values()].filter((runner) => runner.pool === pool.id);
          return sum + Math.max(pool.minRunners, runners.length + queuedJobs);
        }, 0);
        const list = looks.get(group.name) ?? [];
        list.push({ at: now, slots: Math.max(capacity + shortfall, wanted), lost: uncounted(group) });
        while ((list[0]?.at ?? now) < now - rememberedMs) list.shift();
        looks.set(group.name, list);
      }
    },
    /** The most hosts that the group could fairly be raised to now. */
    most({ name, slots, outsideSlots, min }: GroupSetting): number {
      const list = looks.get(name) ?? [];
      const asked = Math.max(0, ...list.map((look) => look.slots));
      const recent = list.filter(({ at }) => at >= stage.time.now() - lostRememberedMs);
      const lost = Math.max(0, ...recent.map((look) => look.lost));
      return Math.max(min, Math.ceil(Math.max(0, asked - outsideSlots) / slots)) + lost;
    },
  };
}
