import { cancelWishes } from "../../lib/zoomies/cancel-wish.ts";
import { type Drain, type DrainPhase, type HostsRecord, hostsKey } from "../../lib/zoomies/host-notes.ts";
import type { Ledger } from "../cli/ledger.ts";
import type { InFlight } from "./in-flight.ts";

const waits: Readonly<Record<DrainPhase, string>> = {
  cordoning: "the cordon is to be seen at Zoomies",
  cordoned: "a look late enough after the cordon has to find the host empty; a busy runner gives the drain up",
  empty: "a second look, 30 s after the first, has to find it empty again, and the group has to be safe to shrink",
  terminating: "Auto Scaling has not shown the end of the instance yet",
  terminated: "the instance has to be gone at EC2, and then its host row",
  uncordoning: "the host has to be seen uncordoned",
};

/** Hosts of Zoomies groups that are on their way out, or back. */
export async function zoomiesDrains({ records }: Ledger, groups: readonly string[]): Promise<InFlight[]> {
  const stored = await records.readAll<HostsRecord>(groups.map(hostsKey));
  const found: InFlight[] = [];
  for (const [index, each] of stored.entries()) {
    if (each === undefined) continue;
    const group = groups[index] ?? "";
    const wished = await cancelWishes(records, group, each.value);
    for (const [instance, { drain }] of Object.entries(each.value.instances)) {
      if (drain !== undefined) found.push(inFlight(group, instance, drain, wished.has(drain.key)));
    }
  }
  return found;
}

function inFlight(fleet: string, instance: string, drain: Drain, isWished: boolean): InFlight {
  const { key, phase, startedAt, back } = drain;
  const isOver = phase === "terminating" || phase === "terminated";
  const cancel = isOver
    ? "Its end was asked for and may land at any time: there is no way back."
    : phase === "uncordoning"
      ? "It is being given back already."
      : "The next minute run uncordons the host and leaves it in service.";
  const isHeeded = isWished && !isOver && back === undefined;
  const wait = isHeeded ? "the next minute run, which gives it up: an operator wants it" : waits[phase];
  return {
    id: instance,
    kind: "zoomies drain",
    fleet,
    phase,
    since: startedAt,
    waits: back === undefined ? wait : `${wait}: ${back.reason}`,
    instance,
    ...(isOver || phase === "uncordoning" ? {} : { cancelKey: key }),
    cancel,
  };
}
