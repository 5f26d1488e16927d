import type { Finding } from "../capacity/finding.ts";
import { unsafeToGrow } from "../capacity/safety.ts";
import type { CycleReport } from "./cycle-report.ts";
import type { Member, ObservedPool } from "./observation.ts";

/** Everything that a person should look at, each with its fix. What is stuck or held is named by instance. */
export function cycleFindings({
  looked,
  sighted,
  decision,
}: Pick<CycleReport, "looked" | "sighted" | "decision">): Finding[] {
  const { observation } = looked;
  const findings: Finding[] = [...observation.findings];
  for (const pool of observation.pools)
    findings.push(...unsafeToGrow(pool.group), ...poolFindings(pool, observation.observedAt));
  if (sighted.unproven.length > 0) {
    findings.push({
      code: "unknown_instance",
      resource: observation.workerGroup.name,
      message: `EC2 does not know ${sighted.unproven.join(" ")}, and Drover never saw it in a group: that proves no absence.`,
      fix: "If the machine is gone, confirm it to Helmr with POST /capacity/v1/worker-hosts/ID/lost.",
    });
  }
  for (const { operation, step } of decision.steps) {
    if (step.do !== "hold") continue;
    findings.push({
      code: step.code,
      resource: operation.detail.group,
      message: `Operation ${operation.key} is held: ${step.reason}.`,
      fix: "See npm run helmr -- operations and the host; Drover terminates nothing here until it is reconciled.",
    });
  }
  return findings;
}

function poolFindings({ group, pool, members, outside, count }: ObservedPool, now: number): Finding[] {
  const findings: Finding[] = [];
  const named = (role: Member["role"]) =>
    members.flatMap(({ instance, role: own }) => (own === role ? [instance.id] : [])).join(" ");
  const find = (code: string, message: string, fix: string) =>
    findings.push({ code, resource: group.name, message, fix });
  if (count.stuck > 0) {
    const fix =
      "Look at its worker's log. A changed instance type needs a new pool. Terminate it in the group by hand.";
    find("host_stuck", `Never became a ready host in its time: ${named("stuck")}.`, fix);
  }
  if (count.lost_alive > 0) {
    const fix = "Make sure that nothing runs on it, then terminate it in the group by hand.";
    find("lost_alive", `Lost to Helmr, and its machine lives: ${named("lost_alive")}.`, fix);
  }
  if (count.foreign > 0) {
    find("foreign_host", `Another pool's host runs on ${named("foreign")}.`, "Correct the worker's enrolment.");
  }
  const stranded = members.filter(
    ({ role, host, instance }) =>
      role === "ready" &&
      host?.drain_reason !== "replacement" &&
      instance.state === "InService" &&
      group.desired <= group.min,
  );
  if (stranded.length > 0) {
    const fix = "Lower MinSize, or drain with the reason replacement.";
    find(
      "at_min_size",
      `Drained, and desired capacity is at MinSize: ${stranded.map(({ instance }) => instance.id).join(" ")}.`,
      fix,
    );
  }
  // A young one may only be missing in a Describe that lags.
  const strangers = outside.filter(({ created_at: created }) => now - Date.parse(created) >= 300_000);
  if (strangers.length > 0) {
    const ids = strangers.map(({ resource_id: id }) => id).join(" ");
    find(
      "host_outside",
      `Hosts of pool ${pool.name} that are not in the group: ${ids}.`,
      "Scale-in waits until they are gone.",
    );
  }
  return findings;
}
