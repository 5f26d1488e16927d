import type { Finding } from "../capacity/finding.ts";
import type { InstanceNotes } from "./host-notes.ts";
import type { HostsObservation } from "./host-observation.ts";
import { isAlive, type Pair, whyNotEligible } from "./host-pairs.ts";
import type { PoolNeed } from "./pool-need.ts";
import { raiseStop } from "./supply.ts";

/** What a person should know of a group's hosts: each names the host and the fix. */
export function hostFindings(
  observation: HostsObservation,
  pairs: readonly Pair[],
  notes: ReadonlyMap<string, InstanceNotes>,
  need: PoolNeed | undefined,
): Finding[] {
  const { group, fleet, record, now, settings } = observation;
  const findings: Finding[] = [];
  const find = (code: string, message: string, fix: string, tag?: string) =>
    findings.push({ code, resource: group.name, ...(tag === undefined ? {} : { tag }), message, fix });

  for (const pool of need?.missing ?? []) {
    const tag = `drover:zoomies-pool/${pool}`;
    find("pool_unknown", `Zoomies has no pool ${pool}, so no host leaves.`, `Remove ${tag} from ${group.name}.`, tag);
  }
  const stop = raiseStop(record, now);
  if (stop !== undefined) {
    find(
      "raise_stopped",
      `${stop.reason}, so the group is not raised.`,
      "Read the console output of the last instance.",
    );
  }
  const joined = pairs.filter(({ host, instance }) => host !== undefined && isAlive(instance));
  const other = joined.filter(({ host }) => host?.capacity !== fleet.slotsPerHost);
  if (other.length > 0) {
    const tag = "drover:slots-per-host";
    const seen = other.map(({ instance, host }) => `${instance.id} ${host?.capacity}`).join(", ");
    find("slots_disagree", `${tag} says ${fleet.slotsPerHost}, and hosts have: ${seen}.`, `Correct ${tag}.`, tag);
  }
  for (const { instance, host, oddity } of joined) {
    const why = oddity ?? (host === undefined ? undefined : whyNotEligible(host, fleet));
    if (why === undefined) continue;
    find("host_unusable", `The host of ${instance.id} is unusable: ${why}.`, "Mend it, or end the instance.");
  }
  for (const { instance, host } of observation.zoomies === undefined ? [] : pairs) {
    const age = now - (notes.get(instance.id)?.seenAt ?? now);
    if (host !== undefined || instance.state !== "InService" || age < settings.joinDeadlineMs) continue;
    find("never_joined", `${instance.id} is in service and has no host.`, "Read its console output, then end it.");
  }
  return findings;
}
