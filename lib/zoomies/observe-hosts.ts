import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import type { Group } from "../capacity/group.ts";
import type { ZoomiesFleet } from "../capacity/group-fleet.ts";
import type { InstanceState } from "../capacity/instance-states.ts";
import { errorFields } from "../edge/logger.ts";
import { cancelWishes } from "./cancel-wish.ts";
import type { HostsRecord } from "./host-notes.ts";
import type { HostsObservation, ZoomiesView } from "./host-observation.ts";
import { isAlive } from "./host-pairs.ts";
import type { LifeParts } from "./host-parts.ts";
import { type JoinRecord, joinKey } from "./join-record.ts";
import type { Noticed } from "./noticed.ts";
import type { PoolReading } from "./reading.ts";

export interface Seen {
  readonly group: Group;
  readonly fleet: ZoomiesFleet;
  readonly zoomies: ZoomiesView | undefined;
  readonly record: HostsRecord;
  readonly readings: Readonly<Record<string, PoolReading>>;
  readonly noticed: Noticed;
}

/** Completes the look at one group: its hooks, EC2's word and the join records, each only where the decision needs it. */
export async function observeHosts(parts: LifeParts, seen: Seen): Promise<HostsObservation> {
  const { group, zoomies, record } = seen;
  const { life, settings, clock } = parts;
  const waits = group.instances.some(({ state }) => state === "Pending:Wait" || state === "Terminating:Wait");
  const present = new Set(group.instances.map(({ id }) => id));
  const departed = Object.keys(record.instances).filter((id) => !present.has(id));
  const names = new Set(zoomies?.hosts.map(({ name }) => name));
  const hostless = group.instances.filter((each) => isAlive(each) && !names.has(each.id)).map(({ id }) => id);
  const [hooks, states, joins, unwanted] = await Promise.all([
    waits ? life.hooks.of(group.name) : [],
    statesOf(parts, departed),
    zoomies === undefined || hostless.length === 0 ? [] : parts.records.readAll<JoinRecord>(hostless.map(joinKey)),
    cancelWishes(parts.records, group.name, record),
  ]);
  const byInstance = joins.flatMap((stored) =>
    stored === undefined ? [] : [[stored.value.instance, stored.value] as const],
  );
  return {
    ...seen,
    hooks,
    states,
    unwanted,
    joins: new Map(byInstance),
    facts: undefined,
    now: clock.now(),
    settings: { ...life.settings, freshMs: settings.freshMs },
  };
}

/** Without EC2's word no row is deleted, and everything else goes on. */
async function statesOf(
  { life, logger, metrics }: LifeParts,
  instances: readonly string[],
): Promise<ReadonlyMap<string, InstanceState> | undefined> {
  if (instances.length === 0) return new Map();
  try {
    return await life.states.of(instances);
  } catch (error) {
    logger.log("error", "instances unseen", errorFields(error));
    countRefusal(metrics, errorCode(error), { Call: "DescribeInstances" });
    return undefined;
  }
}
