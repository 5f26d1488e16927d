import { groupKey } from "../../../lib/ledger/readings.ts";
import type { Table } from "../../../lib/ledger/table.ts";
import type { ZoomiesRecord } from "../../../lib/zoomies/group-record.ts";
import { type HostsRecord, hostsKey } from "../../../lib/zoomies/host-notes.ts";
import type { Machine } from "./machines.ts";
import type { GroupSetting } from "./setting.ts";
import type { ZoomiesStage } from "./stage-parts.ts";

/** What is still open some time after the load has ended; nothing, once everything is as it should be. */
export async function unsettled(
  stage: ZoomiesStage,
  all: ReadonlyMap<string, Machine>,
  table: Table,
): Promise<string[]> {
  const { controller, setting } = stage;
  const open: string[] = [];
  controller.settle();
  const waiting = [...controller.fleet.jobs.values()].filter(({ startedAt }) => startedAt === undefined);
  if (waiting.length > 0) open.push(`${waiting.length} jobs never ran, of ${waiting[0]?.pool}`);
  else if (controller.fleet.jobs.size > 0) open.push(`${controller.fleet.jobs.size} jobs still run`);
  for (const host of controller.fleet.hosts.values()) {
    const machine = [...all.values()].find(({ hostId }) => hostId === host.id);
    // A row that a person renamed before Drover ever saw it is nobody's to know.
    if (machine !== undefined && !machine.alive && host.name === machine.id)
      open.push(`${host.name} is gone and its host row is not`);
    if (host.cordoned && stage.cordonedBy.get(host.id)?.by === "drover" && machine?.alive) {
      open.push(`${host.name} is still cordoned by us`);
    }
  }
  for (const group of setting.groups) open.push(...(await openOf(stage, table, group)));
  return open;
}

async function openOf(stage: ZoomiesStage, table: Table, group: GroupSetting): Promise<string[]> {
  const open: string[] = [];
  const { name } = group;
  const shown = stage.cloud.group(name);
  const instances = shown?.Instances ?? [];
  const states = instances.map(({ InstanceId, LifecycleState }) => `${InstanceId} ${LifecycleState}`);
  if (instances.some(({ LifecycleState }) => LifecycleState !== "InService"))
    open.push(`${name}: ${states.join(", ")}`);

  const warm = group.pools.reduce((sum, pool) => sum + (pool.minRunners ?? 0), 0);
  const floor = Math.max(group.min, Math.ceil(Math.max(0, warm - group.outsideSlots) / group.slots));
  const least = Math.min(floor, group.max);
  const desired = shown?.DesiredCapacity ?? 0;
  if (desired !== least) open.push(`${name}: desired capacity is ${desired} instead of ${least}`);
  const [hosts, record] = (await table.get([hostsKey(name), groupKey(name)])).map((item) =>
    item === undefined ? undefined : (JSON.parse(item.body) as unknown),
  ) as [HostsRecord | undefined, ZoomiesRecord | undefined];
  for (const [id, { drain }] of Object.entries(hosts?.instances ?? {})) {
    if (drain !== undefined) open.push(`${name}: the drain of ${id} is still ${drain.phase}`);
  }
  if (record?.pending) open.push(`${name}: readings are still pending`);
  return open;
}
