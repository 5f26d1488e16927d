import type { Group } from "../capacity/group.ts";
import { zoomiesFleet } from "../capacity/group-fleet.ts";
import type { Clock } from "../edge/clock.ts";
import type { Answer } from "../interruption/handle-notices.ts";
import type { Notice } from "../interruption/notice.ts";
import type { Records } from "../ledger/records.ts";
import type { HostsApi } from "./api.ts";
import { type HostsRecord, hostsKey } from "./host-notes.ts";
import { changeMarks, type InterruptionMark, type InterruptionMarks, interruptionsKey } from "./interruption-marks.ts";

export interface InterruptionParts {
  readonly hosts: Pick<HostsApi, "hosts" | "cordon">;
  readonly records: Records;
  readonly clock: Clock;
}

/**
 * Cordons the host of an instance that EC2 takes, may take or ends, at once and without the group's lease: a cordon ends no job and is
 * absolute. The mark that makes it ours to undo is in the ledger first, and keeps a drain of ours from giving the host back. A
 * cordoned host without a drain of ours is not counted as supply, so that the next look at the group buys its slots anew.
 *
 * @returns undefined when the group serves no pool
 */
export async function cordonInterrupted(
  { hosts, records, clock }: InterruptionParts,
  group: Group,
  { instance, kind, at }: Notice,
): Promise<Answer | undefined> {
  const { fleet } = zoomiesFleet(group);
  if (fleet === undefined) return undefined;
  const nothing = (because: string): Answer => ({ fleet: group.name, decided: "cordon nothing", because });
  const [notes, marks] = await records.readAll<unknown>([hostsKey(group.name), interruptionsKey(group.name)]);
  const drain = (notes?.value as HostsRecord | undefined)?.instances[instance]?.drain;
  // One whose end was only intended may still turn back.
  if (drain?.phase === "terminated") return nothing("it is on its way out already");
  const host = (await hosts.hosts()).find(({ name }) => name === instance);
  if (host === undefined || host.embedded) return nothing("Zoomies has no host of its name");
  const mark = (marks?.value as InterruptionMarks | undefined)?.[instance];
  if (host.cordoned && drain === undefined && mark === undefined) return nothing("somebody cordoned it first");
  if (host.cordoned && mark?.kind === kind && at <= mark.at) return nothing("it is cordoned already");
  return {
    fleet: group.name,
    decided: "cordon",
    ...(fleet.paused ? { isPaused: true, because: "the group is paused" } : {}),
    async act() {
      const newer: InterruptionMark = { hostId: host.id, at: clock.now(), kind };
      await changeMarks(records, group.name, (known) => ({ ...known, [instance]: newer }));
      // Sent to one that is cordoned already, too: a look at the group may be giving it back at this moment.
      const now = await hosts.cordon(host.id, true);
      if (!now?.cordoned) return "its host is gone";
      return host.cordoned ? "it stays cordoned" : "cordoned";
    },
  };
}
