import type { GroupSpec } from "../../../infra/local/aws/auto-scaling/group-spec.ts";
import type { Host } from "../../../infra/local/zoomies/fleet.ts";
import type { Table } from "../../../lib/ledger/table.ts";
import { type HostsRecord, hostsKey } from "../../../lib/zoomies/host-notes.ts";
import type { Chance } from "../chance.ts";
import type { Machine } from "./machines.ts";
import { minute } from "./setting.ts";
import { nowAndThen, type ZoomiesStage } from "./stage-parts.ts";

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
  stage.time.at(stage.calmAt, () => tidy(stage));
}

type Act = (stage: ZoomiesStage, chance: Chance, living: readonly Machine[], table: Table) => void | Promise<void>;

function hostOf(stage: ZoomiesStage, { hostId }: Machine): Host | undefined {
  return stage.controller.fleet.hosts.get(hostId ?? "");
}

/** Whether Drover may be about to cordon this host or to give it back: then nobody could say whose cordon stands. */
async function isInDoubt(machine: Machine, table: Table): Promise<boolean> {
  const { pk, sk } = hostsKey(machine.group);
  const [item] = await table.get([{ pk, sk }]);
  const record = item === undefined ? undefined : (JSON.parse(item.body) as HostsRecord);
  const phase = record?.instances[machine.id]?.drain?.phase;
  return phase === "cordoning" || phase === "uncordoning";
}

function setCordon(stage: ZoomiesStage, host: Host, cordoned: boolean): void {
  if (host.cordoned === cordoned) return;
  host.cordoned = cordoned;
  stage.cordonedBy.set(host.id, { by: "a person", at: stage.time.now() });
  stage.tell(`a person ${cordoned ? "cordons" : "uncordons"} ${host.name}`);
}

const cordonOne: Act = async (stage, chance, living, table) => {
  const machine = living.length === 0 ? undefined : chance.pick(living);
  const host = machine === undefined ? undefined : hostOf(stage, machine);
  if (machine === undefined || host === undefined || host.cordoned || (await isInDoubt(machine, table))) return;
  setCordon(stage, host, true);
  if (chance.is(0.7)) stage.time.after(chance.between(1, 30) * minute, () => setCordon(stage, host, false));
};

/** Somebody takes a cordon away, whoever it is from; and sometimes sets an own one soon after. */
const uncordonOne: Act = async (stage, chance, living, table) => {
  const cordoned = living.filter((machine) => hostOf(stage, machine)?.cordoned);
  const machine = cordoned.length === 0 ? undefined : chance.pick(cordoned);
  const host = machine === undefined ? undefined : hostOf(stage, machine);
  if (machine === undefined || host === undefined || (await isInDoubt(machine, table))) return;
  setCordon(stage, host, false);
  // Within the same minute nobody could tell the new cordon from the old one.
  if (chance.is(0.5)) {
    stage.time.after(chance.between(2.5, 6) * minute, () => void cordonOne(stage, chance, [machine], table));
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
  if (stage.handsOffSince.has(group)) return;
  stage.cloud.updateGroup(group, change);
  stage.handsOffSince.set(group, stage.time.now());
  stage.time.after(chance.between(1, 8) * minute, () => {
    stage.cloud.updateGroup(group, back);
    stage.handsOffSince.delete(group);
  });
}

/** When the load ends, people take their cordons away. */
function tidy(stage: ZoomiesStage): void {
  stage.tell("the load has ended, and nothing more goes wrong");
  for (const host of stage.controller.fleet.hosts.values()) {
    if (stage.cordonedBy.get(host.id)?.by === "a person") setCordon(stage, host, false);
  }
}
