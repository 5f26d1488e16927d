import { type Host, isEligible, queuedJobs } from "../../../infra/local/zoomies/fleet.ts";
import { type GroupSetting, minute } from "./setting.ts";
import type { ZoomiesStage } from "./stage-parts.ts";

/** A look may be so old when what follows from it is done. */
const rememberedMs = minute;

interface Look {
  readonly at: number;
  /** Slots that the group's pools want for what works, waits and must be warm. */
  readonly needed: number;
  /** Slots that any of them could use, by host; hosts outside the group among them. */
  readonly counted: ReadonlyMap<string, number>;
}

/** A host that did not count itself, a silent one for example, takes nothing away. */
const slotsWithout = (counted: Look["counted"], { id }: Host): number =>
  [...counted].reduce((sum, [each, capacity]) => (each === id ? sum : sum + capacity), 0);

/** Whether a host may begin to leave: what its group's pools want at the least has room on the others. */
export function fairCordon(stage: ZoomiesStage) {
  const looks = new Map<string, Look[]>();

  function look({ pools }: GroupSetting): Look {
    const { fleet } = stage.controller;
    const now = stage.controllerNow();
    const needed = pools.map(({ id, minRunners = 0, maxRunners = 100 }) => {
      const runners = [...fleet.runners.values()].filter(({ pool }) => pool === id);
      const working = runners.filter(({ state }) => state === "busy" || state === "draining").length;
      return Math.min(Math.max(minRunners, working + queuedJobs(fleet, id).length), maxRunners);
    });
    const known = pools.flatMap(({ id }) => fleet.pools.get(id) ?? []);
    const counted = [...fleet.hosts.values()].filter((host) => known.some((pool) => isEligible(host, pool, now)));
    return {
      at: stage.time.now(),
      needed: needed.reduce((sum, each) => sum + each, 0),
      counted: new Map(counted.map(({ id, capacity }) => [id, capacity])),
    };
  }

  return {
    onPass(): void {
      for (const group of stage.setting.groups) {
        const list = looks.get(group.name) ?? [];
        list.push(look(group));
        while ((list[0]?.at ?? 0) < stage.time.now() - rememberedMs) list.shift();
        looks.set(group.name, list);
      }
    },
    /** The slots that the group lacks without this host, by the kindest of its last looks. */
    lacks(group: GroupSetting, host: Host): number {
      const list = [...(looks.get(group.name) ?? []), look(group)];
      const needed = Math.min(...list.map((each) => each.needed));
      return needed - Math.max(...list.map(({ counted }) => slotsWithout(counted, host)));
    },
  };
}
