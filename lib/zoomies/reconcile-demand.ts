import type { Group } from "../capacity/group.ts";
import { zoomiesFleet, zoomiesPoolTag } from "../capacity/group-fleet.ts";
import { errorFields } from "../edge/logger.ts";
import { groupKey } from "../ledger/readings.ts";
import { takeGroup, type ZoomiesRecord } from "./group-record.ts";
import type { DemandParts } from "./parts.ts";
import { settleGroup } from "./settle-group.ts";

export interface DemandRun {
  readonly groups: number;
  readonly settled: number;
  /** Groups whose lease another writer holds: it settles what is recorded, or the next run does. */
  readonly held: number;
  readonly failed: number;
  /** Groups that this run had no time for. */
  readonly left: number;
}

const atOnce = 8;

/**
 * Settles every reading that is recorded and not applied, and goes on with raises that take several steps; it needs no
 * event and no Zoomies API (design: rule 4). One sick group does not shield the others (cases.md 20). `until` is when
 * to start no further group; the order turns with every run, so that the groups left over change.
 */
export async function reconcileDemand(parts: DemandParts, until: number): Promise<DemandRun> {
  const groups = await zoomiesGroups(parts);
  const keys = groups.map(({ name }) => groupKey(name));
  const stored = await parts.records.readAll<ZoomiesRecord>(keys);
  const pending = groups.filter((_, index) => stored[index]?.value.pending);
  const queue = turned(pending, Math.floor(parts.clock.now() / 60_000));
  const counts = { settled: 0, held: 0, failed: 0, left: 0 };

  async function worker(): Promise<void> {
    for (let group = queue.shift(); group !== undefined; group = queue.shift()) {
      const outcome = parts.clock.now() < until ? await settleOne(parts, group.name) : "left";
      counts[outcome] += 1;
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker));
  return { groups: groups.length, ...counts };
}

async function zoomiesGroups(parts: DemandParts): Promise<Group[]> {
  const owned = await parts.groups.owned({ instances: false });
  const groups = owned.filter(({ tags }) => Object.keys(tags).some((tag) => tag.startsWith(zoomiesPoolTag)));
  for (const finding of groups.flatMap((group) => zoomiesFleet(group).findings ?? [])) {
    const { message: detail, ...what } = finding;
    parts.logger.log("error", "finding", { ...what, detail });
    parts.metrics.count("ConfigError", 1, { Code: finding.code, Fleet: finding.resource });
  }
  return groups;
}

async function settleOne(parts: DemandParts, name: string): Promise<"settled" | "held" | "failed"> {
  const logger = parts.logger.with({ fleet: name });
  try {
    const held = await takeGroup(parts, name);
    if (held === undefined) return "held";
    // Findings were told above; a group tagged wrongly stays pending until somebody mends it or its readings age.
    const settled = await settleGroup({ ...parts, logger }, held, () => parts.groups.named(name));
    return settled === "failed" ? "failed" : "settled";
  } catch (error) {
    logger.log("error", "failed", errorFields(error));
    parts.metrics.count("CallFailed", 1, { Fleet: name });
    return "failed";
  }
}

function turned<T>(list: readonly T[], by: number): T[] {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}
