import type { Table } from "../../../lib/ledger/table.ts";
import type { Chance } from "../chance.ts";
import { cordonByHand } from "./cordons.ts";
import type { Machine } from "./machines.ts";
import { type GroupSetting, minute } from "./setting.ts";
import { isCalm, type ZoomiesStage } from "./stage-parts.ts";

/** So long only the work that was planned for it comes in: more would hide that the group was too small for that. */
const quietMs = 15 * minute;

/**
 * Once, people work on half of a group's hosts for longer than anybody would wait, while as much long work comes in as
 * the group's desired capacity looks good for.
 */
export function maintenance(
  stage: ZoomiesStage,
  chance: Chance,
  all: ReadonlyMap<string, Machine>,
  table: Table,
): void {
  const at = stage.setting.hazards.maintenance;
  if (at === undefined) return;
  const begin = async (): Promise<void> => {
    if (isCalm(stage)) return;
    const group = chance.pick(stage.setting.groups);
    if (!(await cordonHalf(stage, chance, group, [...all.values()], table))) {
      stage.time.after(minute, () => void begin());
    }
  };
  stage.time.after(at, () => void begin());
}

async function cordonHalf(
  stage: ZoomiesStage,
  chance: Chance,
  group: GroupSetting,
  all: readonly Machine[],
  table: Table,
): Promise<boolean> {
  const desired = stage.cloud.group(group.name)?.DesiredCapacity ?? 0;
  if (desired >= group.max) return false;
  const joined = all.filter(({ alive, hostId, group: name }) => alive && hostId !== undefined && name === group.name);
  let cordoned = 0;
  for (const machine of joined) {
    if (cordoned < joined.length / 2 && (await cordonByHand(stage, machine, table, chance.between(30, 40))))
      cordoned += 1;
  }
  const pool = group.pools.find(({ maxRunners = 100 }) => maxRunners >= 100);
  if (cordoned === 0 || pool === undefined) return cordoned > 0;
  const jobs = Math.max(1, desired * group.slots + group.outsideSlots - runners(stage, group));
  stage.tell(`people work on ${cordoned} hosts of ${group.name}; ${jobs} long jobs for ${pool.id}`);
  stage.quietUntil.set(group.name, stage.time.now() + quietMs);
  for (let job = 0; job < jobs; job += 1) stage.controller.queueJobs(pool.id, 1, chance.between(15, 25) * minute);
  return true;
}

function runners({ controller }: ZoomiesStage, { pools }: GroupSetting): number {
  return [...controller.fleet.runners.values()].filter(({ pool }) => pools.some(({ id }) => id === pool)).length;
}
