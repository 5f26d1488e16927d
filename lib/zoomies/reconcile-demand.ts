import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import type { Group } from "../capacity/group.ts";
import { type FleetOrFindings, type ZoomiesFleet, zoomiesFleet, zoomiesPoolTag } from "../capacity/group-fleet.ts";
import { errorFields } from "../edge/logger.ts";
import { groupKey } from "../ledger/readings.ts";
import { groupLease } from "./group-lease.ts";
import { takeGroup, type ZoomiesRecord } from "./group-record.ts";
import { liveHosts } from "./host-life.ts";
import { type HostsRecord, hostsKey } from "./host-notes.ts";
import type { Supply, ZoomiesView } from "./host-observation.ts";
import type { HostParts } from "./host-parts.ts";
import { tellInService } from "./in-service.ts";
import { type InterruptionMarks, interruptionsKey } from "./interruption-marks.ts";
import { orphanHosts } from "./orphan-hosts.ts";
import type { DemandParts } from "./parts.ts";
import { runCursor } from "./run-cursor.ts";
import { settleGroup } from "./settle-group.ts";
import { lookAtZoomies } from "./zoomies-view.ts";

export interface DemandRun {
  readonly groups: number;
  readonly settled: number;
  /** Groups whose lease another writer holds: it settles what is recorded, or the next run does. */
  readonly held: number;
  readonly failed: number;
  /** Groups that this run had no time for; the next one begins with them. */
  readonly left: number;
  /** Set when Zoomies was asked and could not be seen whole. */
  readonly unseen?: true;
}

const atOnce = 8;

interface Due extends Pick<Group, "name"> {
  /** Set where the group's hosts are looked after. */
  readonly fleet: ZoomiesFleet | undefined;
}

/**
 * Settles every reading that is recorded and not applied, and goes on with raises that take several steps; it needs no
 * event and no Zoomies API (design: rule 4). With `life`, it also looks after the hosts of the groups that want it. One
 * sick group does not shield the others (cases.md 20). `until` is when to start no further group.
 */
export async function reconcileDemand(parts: DemandParts, until: number, life?: HostParts): Promise<DemandRun> {
  const found = await zoomiesGroups(parts);
  const groups = found.map(({ group }) => group);
  const records = await parts.records.readAll<ZoomiesRecord>(groups.map(({ name }) => groupKey(name)));
  await tellInService(parts, groups, records);
  const { hosts, marks } = life === undefined ? { hosts: [], marks: [] } : await notesOf(parts, groups);

  const due = found.flatMap(({ group, tags }, index): Due[] => {
    const isLooked = life !== undefined && (tags.fleet?.scaleIn === "verified" || isBegun(hosts[index], marks[index]));
    if (isLooked && tags.fleet !== undefined) return [{ name: group.name, fleet: tags.fleet }];
    return records[index]?.value.pending ? [{ name: group.name, fleet: undefined }] : [];
  });
  const isAsked = life !== undefined && due.some(({ fleet }) => fleet !== undefined);
  const view = isAsked ? await viewOf(parts, life) : undefined;
  const orphans = view === undefined ? new Map() : await orphanHosts(parts, groups, hosts, view);

  const cursor = await runCursor(parts.records, due.length);
  const queue = cursor.order(due);
  const counts = { settled: 0, held: 0, failed: 0, left: 0 };
  let last: string | undefined;
  async function worker(): Promise<void> {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      const isInTime = parts.clock.now() < until;
      if (isInTime) last = group.name;
      counts[isInTime ? await reconcileOne(parts, group, life, view, orphans.get(group.name)) : "left"] += 1;
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
  await cursor.save(counts.left > 0 ? last : undefined);
  return { groups: groups.length, ...counts, ...(isAsked && view === undefined ? { unseen: true } : {}) };
}

/** What is known of each group's hosts, and which of them EC2 gave notice of. */
async function notesOf({ records }: DemandParts, groups: readonly Group[]) {
  const names = groups.map(({ name }) => name);
  const stored = await records.readAll<unknown>([...names.map(hostsKey), ...names.map(interruptionsKey)]);
  const values = stored.map((each) => each?.value);
  return {
    hosts: values.slice(0, names.length) as (HostsRecord | undefined)[],
    marks: values.slice(names.length) as (InterruptionMarks | undefined)[],
  };
}

/** Whether a drain or a notice's cordon is to be seen to its end, whatever scale-in says by now. */
const isBegun = (record: HostsRecord | undefined, marks: InterruptionMarks = {}): boolean =>
  Object.keys(marks).length > 0 || Object.values(record?.instances ?? {}).some(({ drain }) => drain !== undefined);

async function zoomiesGroups(
  parts: DemandParts,
): Promise<{ readonly group: Group; readonly tags: FleetOrFindings<ZoomiesFleet> }[]> {
  const owned = await parts.groups.owned({ instances: true });
  const groups = owned.filter(({ tags }) => Object.keys(tags).some((tag) => tag.startsWith(zoomiesPoolTag)));
  const found = groups.map((group) => ({ group, tags: zoomiesFleet(group) }));
  for (const finding of found.flatMap(({ tags }) => tags.findings ?? [])) {
    parts.logger.log("error", "finding", { ...finding });
    parts.metrics.count("ConfigError", 1, { Code: finding.code, Fleet: finding.resource });
  }
  return found;
}

async function viewOf(parts: DemandParts, life: HostParts): Promise<ZoomiesView | undefined> {
  try {
    return await lookAtZoomies(life.hosts, parts.clock);
  } catch (error) {
    parts.logger.log("error", "zoomies unseen", errorFields(error));
    parts.metrics.count("CallFailed", 1, { Outcome: "unseen", Peer: "zoomies" });
    return undefined;
  }
}

async function reconcileOne(
  parts: DemandParts,
  { name, fleet }: Due,
  life: HostParts | undefined,
  view: ZoomiesView | undefined,
  orphans: HostsRecord["instances"] | undefined,
): Promise<"settled" | "held" | "failed"> {
  const logger = parts.logger.with({ fleet: name });
  try {
    const isLooked = life !== undefined && fleet !== undefined;
    const held = await takeGroup(parts, name, { create: isLooked });
    if (held === undefined) return "held";
    // Findings were told above; a group tagged wrongly stays pending until somebody mends it or its readings age.
    const look = () => parts.groups.named(name);
    if (!isLooked) return (await settleGroup({ ...parts, logger }, held, look)) === "failed" ? "failed" : "settled";

    const lease = groupLease(parts, held);
    let supply: Supply | undefined;
    let failed = false;
    try {
      const group = await parts.groups.named(name, { instances: true });
      const tags = group === undefined ? undefined : zoomiesFleet(group);
      if (group !== undefined && tags?.fleet !== undefined) {
        const lived = await liveHosts({ ...parts, logger, life }, lease, group, tags.fleet, view, orphans);
        ({ supply, failed } = lived);
      }
    } catch (error) {
      // What readings ask for is settled all the same.
      logger.log("error", "failed", errorFields(error));
      countRefusal(parts.metrics, errorCode(error), { Fleet: name });
      failed = true;
    }
    const settled = await settleGroup({ ...parts, logger }, lease.held(), look, supply);
    return failed || settled === "failed" ? "failed" : "settled";
  } catch (error) {
    logger.log("error", "failed", errorFields(error));
    countRefusal(parts.metrics, errorCode(error), { Fleet: name });
    return "failed";
  }
}
