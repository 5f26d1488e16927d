import type { Group } from "../capacity/group.ts";
import { type ZoomiesFleet, zoomiesFleet, zoomiesPoolTag } from "../capacity/group-fleet.ts";
import { groupKey } from "../ledger/readings.ts";
import type { ZoomiesRecord } from "./group-record.ts";
import { decideWithRules } from "./host-life.ts";
import { emptyHostsRecord, type HostsRecord, hostsKey } from "./host-notes.ts";
import type { HostsDecision, ZoomiesView } from "./host-observation.ts";
import type { HostParts } from "./host-parts.ts";
import { interruptionsKey } from "./interruption-marks.ts";
import { observeHosts } from "./observe-hosts.ts";
import type { DemandParts } from "./parts.ts";
import { decideRaise, type RaiseDecision } from "./raise-decision.ts";
import { lookAtZoomies } from "./zoomies-view.ts";

/** What Drover would do about one group now, and why not more. */
export interface GroupPlan {
  readonly group: Group;
  readonly raise: RaiseDecision;
  /** Undefined where the group's hosts are not looked after, or could not be seen. */
  readonly hosts: HostsDecision | undefined;
}

export interface Plan {
  readonly groups: readonly GroupPlan[];
  /** Why Zoomies could not be seen whole. */
  readonly unseen: string | undefined;
}

/** A run that looks and decides with the same code as the minute run, writes nothing, and takes no lease. */
export async function planGroups(parts: DemandParts, life: HostParts | undefined): Promise<Plan> {
  const owned = await parts.groups.owned({ instances: true });
  const groups = owned.filter(({ tags }) => Object.keys(tags).some((tag) => tag.startsWith(zoomiesPoolTag)));
  const { view, unseen } = await look(parts, life);
  const plans = groups.map((group) => planOne(parts, life, view, group));
  return { groups: await Promise.all(plans), unseen };
}

async function look(
  { clock }: DemandParts,
  life: HostParts | undefined,
): Promise<{ readonly view: ZoomiesView | undefined; readonly unseen: string | undefined }> {
  if (life === undefined) return { view: undefined, unseen: "no address of Zoomies' API is set" };
  try {
    return { view: await lookAtZoomies(life.hosts, clock), unseen: undefined };
  } catch (error) {
    return { view: undefined, unseen: error instanceof Error ? error.message : String(error) };
  }
}

async function planOne(
  parts: DemandParts,
  life: HostParts | undefined,
  view: ZoomiesView | undefined,
  group: Group,
): Promise<GroupPlan> {
  const tags = zoomiesFleet(group);
  const stored = await parts.records.read<ZoomiesRecord>(groupKey(group.name));
  const { readings = {}, pending = false, lastRaise, raiseStop } = stored?.value ?? {};
  const isLooked = life !== undefined && tags.fleet?.scaleIn === "verified";
  const hosts = isLooked ? await planHosts(parts, life, view, group, tags.fleet, readings) : undefined;
  const raise = decideRaise({
    group,
    tags,
    readings,
    pending,
    lastRaise,
    now: parts.clock.now(),
    freshMs: parts.settings.freshMs,
    supply: hosts?.supply,
    stop: raiseStop,
  });
  return { group, raise, hosts };
}

async function planHosts(
  parts: DemandParts,
  life: HostParts,
  zoomies: ZoomiesView | undefined,
  group: Group,
  fleet: ZoomiesFleet,
  readings: ZoomiesRecord["readings"],
): Promise<HostsDecision> {
  const [notes, marks] = await parts.records.readAll<unknown>([hostsKey(group.name), interruptionsKey(group.name)]);
  const record = (notes?.value ?? emptyHostsRecord) as HostsRecord;
  const noticed = new Set(Object.keys(marks?.value ?? {}));
  const observation = await observeHosts({ ...parts, life }, { group, fleet, zoomies, record, readings, noticed });
  return (await decideWithRules({ ...parts, life }, observation)).decision;
}
