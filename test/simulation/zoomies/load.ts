import { queuedJobs } from "../../../infra/local/zoomies/fleet.ts";
import type { PoolReading } from "../../../infra/local/zoomies/scheduler-pass.ts";
import type { Chance } from "../chance.ts";
import { type GroupSetting, minute } from "./setting.ts";
import { isCalm, isQuiet, type ZoomiesStage } from "./stage-parts.ts";

const longestBacklogMs = 15 * minute;

/** Bursts, trickles and quiet times of jobs for every pool. */
export function load(stage: ZoomiesStage, chance: Chance): void {
  const { time, controller, setting } = stage;
  for (const group of setting.groups) {
    for (const { id } of group.pools) {
      const rounds = () => {
        if (isCalm(stage)) return;
        const isBurst = chance.is(0.3);
        // What the group could not work off within its time would say nothing about Drover.
        const isSwamped = backlogMs(stage, group) > longestBacklogMs;
        const count =
          isSwamped || isQuiet(stage, group.name)
            ? 0
            : isBurst
              ? chance.whole(1, Math.ceil(group.slots * group.max * 1.3))
              : 1;
        const longest = chance.pick([1, 3, 8, 20]);
        if (count > 0) stage.tell(`${count} jobs for ${id}, up to ${longest} minutes`);
        for (let index = 0; index < count; index += 1) {
          controller.queueJobs(id, 1, chance.between(0.1, longest) * minute);
        }
        time.after(chance.pick([0.2, 1, 5, 15, 25]) * minute * chance.between(0.3, 1.7), rounds);
      };
      time.after(chance.between(0, 5) * minute, rounds);
    }
  }
}

/** GitHub hands jobs to idle runners whenever it likes. */
export function github(stage: ZoomiesStage, chance: Chance): void {
  const { time, controller } = stage;
  const handOut = () => {
    controller.handOut();
    time.after(chance.between(1_000, isCalm(stage) ? 30_000 : 9_000), handOut);
  };
  handOut();
}

/** Work comes in just after a host began to leave. */
export function workBehindACordon(stage: ZoomiesStage, chance: Chance, hostId: string): void {
  const { time, controller, setting } = stage;
  const fleet = controller.fleet.hosts.get(hostId)?.labels["fleet"];
  const group = setting.groups.find(({ name }) => name === fleet);
  if (group === undefined || isCalm(stage) || !chance.is(0.4)) return;
  const { id } = chance.pick(group.pools);
  const count = chance.whole(1, Math.ceil(group.slots * group.max * 0.7));
  time.after(chance.between(0, 100_000), () => {
    if (isCalm(stage) || isQuiet(stage, group.name) || backlogMs(stage, group) > longestBacklogMs) return;
    stage.tell(`${count} short jobs for ${id} as a host leaves`);
    controller.queueJobs(id, count, chance.between(0.3, 4) * minute);
  });
}

/** How long the group at its MaxSize would need for what is queued. */
function backlogMs({ controller }: ZoomiesStage, { pools, slots, max }: GroupSetting): number {
  const queued = pools.flatMap(({ id }) => queuedJobs(controller.fleet, id));
  return queued.reduce((sum, { durationMs }) => sum + durationMs, 0) / (slots * max);
}

/** The controller's passes: they look, and place what they decided up to an interval later. */
export function scheduler(
  stage: ZoomiesStage,
  chance: Chance,
  intervalMs: number,
  onPass: (readings: readonly PoolReading[]) => void,
): void {
  const { time, controller } = stage;
  const pass = () => {
    const { readings, place } = controller.beginPass();
    onPass(readings);
    if (chance.is(0.6)) place();
    else time.after(chance.between(0, intervalMs * 0.95), place);
    time.after(intervalMs, pass);
  };
  time.after(chance.between(0, intervalMs), pass);
}

/** The minute runs, a little late at times and sometimes twice at once; none while Drover is down. */
export function minuteRuns(stage: ZoomiesStage, chance: Chance, isDown: () => boolean): void {
  const { time, drover, wholeRuns, soundRuns } = stage;
  const run = () => {
    const at = time.now();
    void drover.reconcile().then((run) => {
      if (run !== "broken off") wholeRuns.push(at);
      if (run === "sound") soundRuns.push(at);
    });
  };
  const next = () => {
    if (!isDown()) run();
    if (!isDown() && !isCalm(stage) && chance.is(0.12)) time.after(chance.between(1, 20_000), run);
    time.after(minute + (chance.is(0.3) ? chance.between(-8_000, 8_000) : 0), next);
  };
  time.after(chance.between(0, minute), next);
}
