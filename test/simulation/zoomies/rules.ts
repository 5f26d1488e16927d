import type { CloudEvent } from "../../../infra/local/aws/cloud-events.ts";
import { type Host, runnersOn } from "../../../infra/local/zoomies/fleet.ts";
import type { JobEnd } from "../../../infra/local/zoomies/job-end.ts";
import type { HttpCall } from "../../../lib/edge/http-call.ts";
import { isDrover } from "./drover.ts";
import type { Machine } from "./machines.ts";
import { type GroupSetting, schedulerIntervalMs } from "./setting.ts";
import { type HandsOff, wasPaused, type ZoomiesStage } from "./stage-parts.ts";

/** A look may be so old when what follows from it is done. */
const lookAgeMs = 30_000;
/** Two intervals of the scheduler after our cordon, a look begins to count; the last one is so long after the first (notes 4). */
const settlesMs = 2 * schedulerIntervalMs;
const secondLookMs = 30_000;

/** What the pools' own numbers allow. */
export interface Fair {
  /** The most hosts that a group may be raised to. */
  most(group: GroupSetting): number;
  /** Slots that a group would lack without this host. */
  lacks(group: GroupSetting, host: Host): number;
}

export interface Rules {
  /** A call of Drover's as it takes effect. */
  onCall(call: HttpCall): void;
  onJoined(machine: Machine): void;
  onJobEnded(end: JobEnd): void;
  /** What was broken since this was asked last. */
  broken(): string[];
}

/** What must never happen, judged by the simulated peers' own truth and not by anything Drover believes. */
export function rules(
  stage: () => ZoomiesStage,
  all: () => ReadonlyMap<string, Machine>,
  fair: () => Fair,
): Rules & { onEvent(event: CloudEvent): void } {
  const found: string[] = [];
  const emptyLooks = new Map<string, number[]>();
  const must = (holds: boolean, otherwise: string) => {
    if (!holds) found.push(otherwise);
  };
  const groupOf = (name: string) => stage().setting.groups.find((group) => group.name === name);
  const hostOf = ({ hostId }: Machine): Host | undefined => stage().controller.fleet.hosts.get(hostId ?? "");

  /** Whether a group must be left alone, for longer than what goes on now may have begun. */
  function isHandsOff(name: string, onlyPaused = false): boolean {
    const now = stage().time.now();
    const isNow = ({ from, to }: HandsOff) => now - from >= lookAgeMs && now < to;
    return stage().handsOff.some((each) => each.group === name && (each.paused || !onlyPaused) && isNow(each));
  }

  function mustNotBePaused(group: string, what: string): void {
    must(!isHandsOff(group, true), `${group}: ${what} while the group is paused`);
  }

  function onDesired({ group: name, from, to, actor, operation }: CloudEvent & { type: "desired-capacity" }): void {
    const group = groupOf(name);
    if (group === undefined || !isDrover(actor)) return;
    must(to >= group.min && to <= group.max, `${name}: desired capacity ${to} is outside ${group.min}..${group.max}`);
    if (operation !== "SetDesiredCapacity") return;
    mustNotBePaused(name, "raised");
    must(to >= from, `${name}: desired capacity was lowered from ${from} to ${to} by an absolute write`);
    const most = fair().most(group);
    must(to <= Math.max(most, from), `${name}: raised from ${from} to ${to}, and its pools asked for ${most} hosts`);
  }

  /** Drover reads runners, of all hosts or of one: what it can see of every host that it cordoned. */
  function onRunnersRead(hostId: string | null): void {
    const { fleet } = stage().controller;
    for (const [id, { by }] of stage().cordonedBy) {
      if (by !== "drover" || (hostId !== null && hostId !== id)) continue;
      const isEmpty = fleet.hosts.get(id)?.cordoned && runnersOn(fleet, id).length === 0;
      emptyLooks.set(id, isEmpty ? [...(emptyLooks.get(id) ?? []), stage().time.now()] : []);
    }
  }

  function onTerminated(machine: Machine): void {
    const host = hostOf(machine);
    const { id, group } = machine;
    must(!isHandsOff(group), `${id}: ${group} is not safe to shrink`);
    must(machine.hostId === undefined || host !== undefined, `${id}: ended though its host row is gone`);
    if (host === undefined) return;
    const cordon = stage().cordonedBy.get(host.id);
    must(host.cordoned && cordon?.by === "drover", `${id}: ended without a cordon of ours`);
    const looks = (emptyLooks.get(host.id) ?? []).filter((at) => at - (cordon?.at ?? 0) >= settlesMs);
    must((looks.at(-1) ?? 0) - (looks[0] ?? 0) >= secondLookMs, `${id}: ended without two looks that saw it empty`);
    must(runnersOn(stage().controller.fleet, host.id).length === 0, `${id}: ended with runners on it`);
    must(host.name === id, `${id}: ended though its host was renamed`);
  }

  function onCordon(host: Host, machine: Machine | undefined, cordoned: boolean): void {
    const { fleet } = stage().controller;
    const last = stage().cordonedBy.get(host.id);
    if (!cordoned)
      must(!host.cordoned || last?.by !== "a person", `${host.name}: gave a host back that a person cordoned`);
    if (host.cordoned === cordoned) return;
    stage().cordonedBy.set(host.id, { by: "drover", at: stage().time.now() });
    stage().tell(`drover ${cordoned ? "cordons" : "uncordons"} ${host.name}`);
    if (machine !== undefined) mustNotBePaused(machine.group, `${host.name} was ${cordoned ? "" : "un"}cordoned`);
    const group = groupOf(machine?.group ?? "");
    if (!cordoned || machine === undefined || machine.endedBy !== undefined || group === undefined) return;
    const now = stage().time.now();
    must(now - (machine.joinedAt ?? now) >= group.idleMs, `${host.name}: cordoned before it was idle long enough`);
    const since = runnersOn(fleet, host.id).map(({ job }) => fleet.jobs.get(job ?? "")?.startedAt);
    const isBusy = since.some((at) => at !== undefined && stage().controllerNow() - at > lookAgeMs);
    must(!isBusy, `${host.name}: cordoned while a job runs on it`);
    const lacks = fair().lacks(group, host);
    must(lacks <= 0, `${host.name}: cordoned though its pools would lack ${lacks} slots`);
  }

  function onHookAnswered(event: CloudEvent & { type: "lifecycle-hook" }): void {
    const { group, instanceId, outcome, transition } = event;
    mustNotBePaused(group, `the hook of ${instanceId} was answered`);
    const machine = all().get(instanceId);
    const host = machine === undefined ? undefined : hostOf(machine);
    if (outcome === "ABANDON") must(host === undefined, `${instanceId}: its launch was abandoned though it joined`);
    if (outcome !== "CONTINUE" || !transition.endsWith("TERMINATING") || host === undefined) return;
    const works = runnersOn(stage().controller.fleet, host.id).some(({ job }) => job !== undefined);
    must(!works, `${instanceId}: let go while a job runs on it`);
  }

  /**
   * A hook for the end must not run out while its host works: a run in every third of its time extends it. Runs that did
   * not do all they had to do say nothing, and no run may do anything about a paused group or a silent host.
   */
  function onEndRanOut({
    group: name,
    instanceId,
    hook: hookName,
    transition,
  }: CloudEvent & { type: "lifecycle-hook" }): void {
    const { controller, soundRuns, time, controllerNow } = stage();
    const machine = all().get(instanceId);
    const host = machine === undefined ? undefined : hostOf(machine);
    const hook = groupOf(name)?.spec.hooks?.find((each) => each.name === hookName);
    const { heardSince } = machine ?? {};
    if (!transition.endsWith("TERMINATING") || host === undefined || hook === undefined || heardSince === undefined)
      return;
    const ages = runnersOn(controller.fleet, host.id).flatMap(
      ({ job }) => controller.fleet.jobs.get(job ?? "")?.startedAt ?? [],
    );
    const third = ((hook.heartbeatTimeout ?? 3600) * 1000) / 3;
    const began = Math.min(...ages) - controllerNow() + time.now();
    const since = Math.max(time.now() - 2 * third, heardSince, began);
    const runs = soundRuns.filter((at) => at >= since);
    const isFair = host.name === instanceId && !host.incompatible && !wasPaused(stage(), name, since);
    must(
      !isFair || (runs.at(-1) ?? 0) - (runs[0] ?? 0) < third,
      `${instanceId}: its hook for the end ran out while a job ran`,
    );
  }

  /** A rule that fails itself must not look like a fault of a peer to the code under test. */
  function judging(judge: () => void): void {
    try {
      judge();
    } catch (error) {
      found.push(`a rule failed: ${error instanceof Error ? error.stack : error}`);
    }
  }

  return {
    onEvent: (event) =>
      judging(() => {
        if (event.type === "desired-capacity") onDesired(event);
        if (event.type === "lifecycle-hook" && isDrover(event.actor)) onHookAnswered(event);
        if (event.type === "lifecycle-hook" && event.outcome === "timed-out") onEndRanOut(event);
        if (event.type !== "member-state" || event.to !== "Terminating" || !isDrover(event.actor)) return;
        const machine = all().get(event.instanceId);
        if (machine !== undefined) onTerminated(machine);
      }),
    onCall: ({ method, url, body }) =>
      judging(() => {
        if (method === "GET" && url.pathname.endsWith("/runners")) onRunnersRead(url.searchParams.get("host_id"));
        must(
          !url.searchParams.has("confirm") && !url.searchParams.has("force"),
          `${url.pathname}: confirmed or forced`,
        );
        const [, id] = /\/hosts\/([^/]+)\/cordon$/.exec(url.pathname) ?? [];
        const host = stage().controller.fleet.hosts.get(id ?? "");
        if (method !== "POST" || host === undefined) return;
        const machine = [...all().values()].find(({ hostId }) => hostId === host.id);
        onCordon(host, machine, (JSON.parse(body ?? "{}") as { cordoned: boolean }).cordoned);
      }),
    onJoined: ({ id, endedBy }) =>
      must(endedBy === undefined || !isDrover(endedBy), `${id}: joined after ${endedBy} gave it up`),
    onJobEnded({ job, host, how }) {
      if (how !== "done") stage().tell(`${job.id} on ${host} ends: ${how}`);
      must(!isDrover(how), `${job.id} ran on ${host} when ${how} ended it`);
      must(how !== "drained away", `${job.id} on ${host} was drained away`);
    },
    broken: () => found.splice(0),
  };
}
