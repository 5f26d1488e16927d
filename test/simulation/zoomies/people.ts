import type { GroupSpec } from "../../../infra/local/aws/auto-scaling/group-spec.ts";
import { runnersOn } from "../../../infra/local/zoomies/fleet.ts";
import type { Table } from "../../../lib/ledger/table.ts";
import type { Chance } from "../chance.ts";
import { type Act, cordonOne, hostOf, uncordonOne } from "./cordons.ts";
import type { Machine } from "./machines.ts";
import { tidy } from "./mending.ts";
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
  nowAndThen(stage, chance, hazards.health, () => failOne(stage, living()));
  stage.time.at(stage.calmAt, () => tidy(stage, all));
}

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
