import { isHealthy, queuedJobs } from "../../../infra/local/zoomies/fleet.ts";
import type { Machine } from "./machines.ts";
import { type GroupSetting, minute } from "./setting.ts";
import { wasPaused, type ZoomiesStage } from "./stage-parts.ts";

/** A job waits no longer than this while its group may grow and nothing stands in the way: two runs, a boot and a pass. */
const mostWaitMs = 12 * minute;
/** In the roughest seeds most runs crash or break off before they reach any group: so many must have reached all by then. */
const leastWholeRuns = 8;
/** A machine that takes longer to join is a bad one, which is waited for. */
const joinsWithinMs = 4 * minute;
/** A run lets a host into service unless it meets a mishap, and most do where seeds are rough: so many did all they had to. */
const leastSoundRuns = 3;

/**
 * Demand is met while it is there, also when its event was lost or hosts that fill the group do not count; and a host that
 * has joined is let into service. `isAway` says that Drover is down, or that Zoomies cannot be seen whole.
 */
export function patience(stage: ZoomiesStage, all: ReadonlyMap<string, Machine>, isAway: () => boolean) {
  const since = new Map<string, number>();
  const raisedTo = new Map<string, number>();

  /** Whether this has held for longer than anything may wait; asked at every pass. */
  function lasts(key: string, holds: boolean): boolean {
    const now = stage.time.now();
    if (!holds) since.delete(key);
    else if (!since.has(key)) since.set(key, now);
    return holds && now - (since.get(key) ?? now) >= mostWaitMs;
  }

  /** A group that grows by steps waits for what a step brought: the next one has its own time. */
  function hasStepped({ name, spec }: GroupSetting): boolean {
    const desired = stage.cloud.group(name)?.DesiredCapacity ?? 0;
    const before = raisedTo.get(name) ?? desired;
    raisedTo.set(name, desired);
    return desired > before && spec.tags?.["drover:max-launch-step"] !== undefined;
  }

  /** Whether nothing but Drover keeps the group from growing. */
  function mayGrow({ name, max }: GroupSetting, machines: readonly Machine[]): boolean {
    const isSlow = machines.some(({ hostId, bornAt }) => {
      return hostId === undefined && stage.time.now() - bornAt > joinsWithinMs;
    });
    return !isSlow && (stage.cloud.group(name)?.DesiredCapacity ?? 0) < max;
  }

  const hasRun = (): boolean =>
    stage.wholeRuns.filter((at) => at > stage.time.now() - mostWaitMs).length >= leastWholeRuns;

  function waitingPool({ pools }: GroupSetting): string | undefined {
    return pools.find(({ id, maxRunners = 100 }) => {
      const [first] = queuedJobs(stage.controller.fleet, id);
      // A pool with a maximum of its own may keep jobs waiting, whatever the group has.
      return first !== undefined && maxRunners >= 100 && stage.controllerNow() - first.queuedAt > mostWaitMs;
    })?.id;
  }

  function isUsable({ id, hostId }: Machine): boolean {
    const host = stage.controller.fleet.hosts.get(hostId ?? "");
    return host !== undefined && host.name === id && isHealthy(host, stage.controllerNow());
  }

  /** What waited too long. */
  return (): string[] =>
    stage.setting.groups.flatMap((group) => {
      const { name } = group;
      const isLooked = !isAway() && !wasPaused(stage, name);
      const machines = [...all.values()].filter((machine) => machine.alive && machine.group === name);
      const isFree = !hasStepped(group) && isLooked && mayGrow(group, machines);
      const pool = lasts(name, isFree) && hasRun() ? waitingPool(group) : undefined;
      const waits = (stage.cloud.group(name)?.Instances ?? []).filter((each) => each.LifecycleState === "Pending:Wait");
      const held = machines.filter((machine) => {
        const isHeld = waits.some(({ InstanceId }) => InstanceId === machine.id) && isUsable(machine);
        const { joinedAt = 0 } = machine;
        const runs = stage.soundRuns.filter((at) => at > joinedAt).length;
        return lasts(machine.id, isLooked && isHeld) && runs >= leastSoundRuns;
      });
      return [
        ...(pool === undefined ? [] : [`${name}: a job of ${pool} waits though the group may grow`]),
        ...held.map(({ id }) => `${id}: waits in its launch hook though its host is healthy`),
      ];
    });
}
