import type { Group } from "../capacity/group.ts";
import { zoomiesFleet } from "../capacity/group-fleet.ts";
import type { Clock } from "../edge/clock.ts";
import type { Records } from "../ledger/records.ts";
import type { HostsApi } from "./api.ts";
import { type HostsRecord, hostsKey } from "./host-notes.ts";
import { changeMarks, type InterruptionMarks, interruptionsKey } from "./interruption-marks.ts";

export interface InterruptionParts {
  readonly hosts: Pick<HostsApi, "hosts" | "cordon">;
  readonly records: Records;
  readonly clock: Clock;
}

/**
 * Cordons the host of an instance that EC2 takes, may take or ends, at once and without the group's lease: a cordon ends no job and is
 * absolute. The mark that makes it ours to undo is in the ledger first. A cordoned host without a drain of ours is not
 * counted as supply, so that the next look at the group buys its slots anew.
 *
 * @returns undefined when the group serves no pool
 */
export async function cordonInterrupted(
  { hosts, records, clock }: InterruptionParts,
  group: Group,
  instance: string,
  kind: string,
): Promise<{ fleet: string; outcome: string } | undefined> {
  const { fleet } = zoomiesFleet(group);
  if (fleet === undefined) return undefined;
  const told = (outcome: string) => ({ fleet: group.name, outcome });
  if (fleet.paused) return told("paused, so left");
  const [notes, marks] = await records.readAll<unknown>([hostsKey(group.name), interruptionsKey(group.name)]);
  const drain = (notes?.value as HostsRecord | undefined)?.instances[instance]?.drain;
  if (drain !== undefined) return told("on its way out already");
  const host = (await hosts.hosts()).find(({ name }) => name === instance);
  if (host === undefined || host.embedded) return told("no host of its name");
  const isMarked = (marks?.value as InterruptionMarks | undefined)?.[instance] !== undefined;
  if (host.cordoned) return told(isMarked ? "cordoned already" : "somebody cordoned it first");
  const mark = { hostId: host.id, at: clock.now(), kind };
  await changeMarks(records, group.name, (known) => ({ ...known, [instance]: known[instance] ?? mark }));
  const now = await hosts.cordon(host.id, true);
  if (now === undefined) return told("its host is gone");
  return told(now.cordoned ? "cordoned" : "would be cordoned");
}
