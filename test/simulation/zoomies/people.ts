import type { GroupSpec } from "../../../infra/local/aws/auto-scaling/group-spec.ts";
import { type Host, runnersOn } from "../../../infra/local/zoomies/fleet.ts";
import type { Table } from "../../../lib/ledger/table.ts";
import type { DrainPhase } from "../../../lib/zoomies/host-notes.ts";
import type { Chance } from "../chance.ts";
import type { Machine } from "./machines.ts";
import { joinDeadlineMs, minute } from "./setting.ts";
import { isCalm, notesOf, nowAndThen, type ZoomiesStage } from "./stage-parts.ts";

/** What people do to hosts and groups, and what AWS does to Spot instances. */
export function people(stage: ZoomiesStage, chance: Chance, all: ReadonlyMap<string, Machine>, table: Table): void {
  const { hazards } = stage.setting;
  const living = () => [...all.values()].filter(({ alive }) => alive);
  nowAndThen(stage, chance, hazards.people, () => {
    const act = chance.pick([cordonOne, cordonOne, uncordonOne, renameOne, endOne, raiseOne, pauseOne, rebalanceOne]);
    void act(stage, chance, living(), table);
  });
  nowAndThen(stage, chance, hazards.spot, () => {
    const machines = living();
    if (machines.length === 0) return;
    const { id } = chance.pick(machines);
    stage.tell(`EC2 takes ${id} back`);
    stage.cloud.interruptSpot(id, chance.pick([0, 120]));
  });
  nowAndThen(stage, chance, hazards.health, () => failOne(stage, living()));
  stage.time.at(stage.calmAt, () => tidy(stage, all));
}

/** Drover has just looked at all hosts, and has not acted on it: the worst moment for a person to set a cordon. */
export function cordonBehindALook(
  stage: ZoomiesStage,
  chance: Chance,
  all: ReadonlyMap<string, Machine>,
  table: Table,
): void {
  // A cordon of ours that is not heard of would leave Drover unable to tell whose stands.
  const { mishap, crash } = stage.setting.hazards;
  if (isCalm(stage) || mishap > 0 || crash > 0 || !chance.is(0.05)) return;
  const living = [...all.values()].filter(({ alive }) => alive);
  stage.time.after(chance.pick([0, 0, 20]), () => void cordonOne(stage, chance, living, table));
}

/** A person acts on the very host that Drover is about to cordon or to end, just before Drover's last look at it. */
export function actBeforeALook(stage: ZoomiesStage, chance: Chance, hostId: string): void {
  const { mishap, crash } = stage.setting.hazards;
  const host = stage.controller.fleet.hosts.get(hostId);
  if (isCalm(stage) || host === undefined || !chance.is(0.2)) return;
  if (host.cordoned && stage.cordonedBy.get(hostId)?.by === "drover") {
    setCordon(stage, host, false);
    return void stage.controller.pass();
  }
  // A look that is not heard would leave Drover unable to tell whose cordon stands.
  if (host.cordoned || mishap > 0 || crash > 0) return;
  setCordon(stage, host, true);
  stage.time.after(chance.between(1, 30) * minute, () => setCordon(stage, host, false));
}

type Act = (stage: ZoomiesStage, chance: Chance, living: readonly Machine[], table: Table) => void | Promise<void>;

function hostOf(stage: ZoomiesStage, { hostId }: Machine): Host | undefined {
  return stage.controller.fleet.hosts.get(hostId ?? "");
}

/** How Drover's own removal of this host stands, as its ledger has it. */
async function drainPhase(machine: Machine, table: Table): Promise<DrainPhase | undefined> {
  return (await notesOf(machine, table))?.drain?.phase;
}

function setCordon(stage: ZoomiesStage, host: Host, cordoned: boolean): void {
  if (host.cordoned === cordoned) return;
  host.cordoned = cordoned;
  stage.cordonedBy.set(host.id, { by: "a person", at: stage.time.now() });
  stage.tell(`a person ${cordoned ? "cordons" : "uncordons"} ${host.name}`);
}

const cordonOne: Act = async (stage, chance, living, table) => {
  const machine = living.length === 0 ? undefined : chance.pick(living);
  if (machine !== undefined)
    await cordonByHand(stage, machine, table, chance.is(0.7) ? chance.between(1, 30) : undefined);
};

/** A person cordons a host, for some minutes or for good. Answers whether the cordon is theirs. */
export async function cordonByHand(
  stage: ZoomiesStage,
  machine: Machine,
  table: Table,
  minutes: number | undefined,
): Promise<boolean> {
  const host = hostOf(stage, machine);
  // Until Drover has looked again, nobody could tell this cordon from its own.
  if (host === undefined || host.cordoned || (await drainPhase(machine, table)) !== undefined) return false;
  setCordon(stage, host, true);
  if (minutes !== undefined) stage.time.after(minutes * minute, () => setCordon(stage, host, false));
  return true;
}

/** Somebody takes a cordon away, whoever it is from; and sometimes sets an own one soon after. */
const uncordonOne: Act = async (stage, chance, living, table) => {
  const cordoned = living.filter((machine) => hostOf(stage, machine)?.cordoned);
  const machine = cordoned.length === 0 ? undefined : chance.pick(cordoned);
  const host = machine === undefined ? undefined : hostOf(stage, machine);
  const phase = machine === undefined ? undefined : await drainPhase(machine, table);
  if (machine === undefined || host === undefined || phase === "cordoning" || phase === "uncordoning") return;
  setCordon(stage, host, false);
  if (chance.is(0.5)) {
    stage.time.after(chance.between(1, 6) * minute, () => void cordonOne(stage, chance, [machine], table));
  }
};

const renameOne: Act = (stage, chance, living) => {
  const host = living.length === 0 || chance.is(0.7) ? undefined : hostOf(stage, chance.pick(living));
  if (host === undefined) return;
  stage.tell(`a person renames ${host.name}`);
  host.name = `renamed-${host.name.slice(0, 8)}`;
};

const endOne: Act = (stage, chance, living) => {
  if (living.length === 0) return;
  const { id } = chance.pick(living);
  stage.tell(`a person ends ${id}`);
  if (chance.is(0.5)) stage.cloud.terminateByHand(id);
  else if (
    stage.cloud.group(chance.pick(stage.setting.groups).name)?.Instances?.some((each) => each.InstanceId === id)
  ) {
    stage.cloud.failHealthCheck(id);
  }
};

/** EC2 finds something wrong with a machine that works on for long, in a group whose hook for the end waits for it. */
function failOne(stage: ZoomiesStage, living: readonly Machine[]): void {
  const waits = stage.setting.groups.filter(({ spec }) =>
    spec.hooks?.some((hook) => hook.transition === "terminating"),
  );
  const { fleet } = stage.controller;
  const endOf = ({ hostId = "" }: Machine): number =>
    Math.max(
      0,
      ...runnersOn(fleet, hostId).map(({ job: id = "" }) => {
        const job = fleet.jobs.get(id);
        return job?.startedAt === undefined ? 0 : job.startedAt + job.durationMs;
      }),
    );
  const [longest] = living
    .filter((machine) => waits.some(({ name }) => name === machine.group) && endOf(machine) > 0)
    .sort((a, b) => endOf(b) - endOf(a));
  if (longest === undefined) return;
  const { id } = longest;
  stage.tell(`EC2 finds ${id} unhealthy`);
  stage.cloud.failHealthCheck(id);
}

/** Somebody buys a host by hand. */
const raiseOne: Act = (stage, chance) => {
  const { name } = chance.pick(stage.setting.groups);
  const group = stage.cloud.group(name);
  if (group === undefined || (group.DesiredCapacity ?? 0) >= (group.MaxSize ?? 0)) return;
  stage.tell(`a person raises ${name}`);
  stage.cloud.setDesired(name, (group.DesiredCapacity ?? 0) + 1, "a person");
};

/** For a while the group is only observed. */
const pauseOne: Act = (stage, chance) => {
  const { name, spec } = chance.pick(stage.setting.groups);
  stage.tell(`a person pauses ${name}`);
  forAWhile(stage, chance, name, { tags: { ...spec.tags, "drover:paused": "yes" } }, { tags: { ...spec.tags } });
};

/** For a while the group is not safe to shrink. */
const rebalanceOne: Act = (stage, chance) => {
  const { name } = chance.pick(stage.setting.groups);
  stage.tell(`a person lets ${name} rebalance`);
  forAWhile(stage, chance, name, { suspended: [] }, { suspended: ["AZRebalance"] });
};

function forAWhile(stage: ZoomiesStage, chance: Chance, group: string, change: GroupSpec, back: GroupSpec): void {
  const from = stage.time.now();
  if (stage.handsOff.some((each) => each.group === group && each.to > from)) return;
  const to = from + chance.between(1, 12) * minute;
  stage.cloud.updateGroup(group, change);
  stage.handsOff.push({ group, paused: change.tags !== undefined, from, to });
  stage.time.at(to, () => stage.cloud.updateGroup(group, back));
}

/** When the load ends, people take their cordons away, and mend what Drover's findings name. */
function tidy(stage: ZoomiesStage, all: ReadonlyMap<string, Machine>): void {
  stage.tell("the load has ended, and nothing more goes wrong");
  for (const host of stage.controller.fleet.hosts.values()) {
    if (stage.cordonedBy.get(host.id)?.by === "a person") setCordon(stage, host, false);
  }
  mend(stage, all);
}

/** In service for so long without a host, an instance will not join any more. */
const givenUpAfterMs = 2.5 * joinDeadlineMs;

/** Hosts get their names back, and what cannot be used is ended by hand. */
function mend(stage: ZoomiesStage, all: ReadonlyMap<string, Machine>): void {
  const { controller, cloud, time } = stage;
  for (const machine of all.values()) {
    if (!machine.alive) continue;
    const host = hostOf(stage, machine);
    const isLate = host === undefined && time.now() - machine.bornAt > givenUpAfterMs;
    const isUseless = host?.incompatible && runnersOn(controller.fleet, host.id).length === 0;
    if (host !== undefined) host.name = machine.id;
    if (!isLate && !isUseless) continue;
    stage.tell(`a person ends ${machine.id}, which is of no use`);
    cloud.terminateByHand(machine.id);
  }
  time.after(5 * minute, () => mend(stage, all));
}
