import { queuedJobs } from "../../../infra/local/zoomies/fleet.ts";
import type { Machine } from "./machines.ts";
import { type GroupSetting, minute } from "./setting.ts";
import type { ZoomiesStage } from "./stage-parts.ts";

/** A job waits no longer than this while its group may grow and nothing stands in the way: two runs, a boot and a pass. */
const mostWaitMs = 12 * minute;
/** A machine that takes longer to join is a bad one, which is waited for. */
const joinsWithinMs = 4 * minute;

/** Demand is met while it is there, also when its event was lost or hosts that fill the group do not count. */
export function patience(stage: ZoomiesStage, all: ReadonlyMap<string, Machine>, isDown: () => boolean) {
  const freeSince = new Map<string, number>();

  /** Whether nothing but Drover keeps the group from growing. */
  function mayGrow({ name, max }: GroupSetting): boolean {
    if (isDown() || stage.handsOffSince.has(name)) return false;
    const machines = [...all.values()].filter(({ group, alive }) => alive && group === name);
    const isSlow = machines.some(({ hostId, bornAt }) => {
      return hostId === undefined && stage.time.now() - bornAt > joinsWithinMs;
    });
    return !isSlow && (stage.cloud.group(name)?.DesiredCapacity ?? 0) < max;
  }

  /** What waited too long; asked at every pass. */
  return (): string[] => {
    const now = stage.time.now();
    const { fleet } = stage.controller;
    return stage.setting.groups.flatMap((group) => {
      if (!mayGrow(group)) freeSince.delete(group.name);
      else if (!freeSince.has(group.name)) freeSince.set(group.name, now);
      const since = freeSince.get(group.name);
      if (since === undefined || now - since < mostWaitMs) return [];
      const late = group.pools.find(({ id, maxRunners = 100 }) => {
        const [first] = queuedJobs(fleet, id);
        // A pool with a maximum of its own may keep jobs waiting, whatever the group has.
        return first !== undefined && maxRunners >= 100 && stage.controllerNow() - first.queuedAt > mostWaitMs;
      });
      return late === undefined ? [] : [`${group.name}: a job of ${late.id} waits though the group may grow`];
    });
  };
}
