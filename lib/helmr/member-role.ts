import type { GroupInstance } from "../capacity/group.ts";
import type { InstanceState } from "../capacity/instance-states.ts";
import type { SeenInstance } from "./group-memory.ts";
import type { Role } from "./observation.ts";
import type { WorkerHost } from "./protocol.ts";

const ending = new Set<InstanceState>(["shutting-down", "terminated"]);
const halted = new Set<InstanceState>(["stopping", "stopped", "unknown"]);
const arriving = new Set(["Pending", "Pending:Wait", "Pending:Proceed"]);

/** States in which an instance counts towards desired capacity. */
export const countsTowardsDesired = ({ state }: GroupInstance): boolean => state === "InService" || arriving.has(state);

export const isTerminating = ({ state }: GroupInstance): boolean => state.startsWith("Terminat");

/**
 * What an instance is to its pool. What Auto Scaling and EC2 say of the machine comes first: a host's row outlives it
 * (helmr-notes 7.6). An instance that EC2 does not show is as Auto Scaling says: EC2 may lag (cases.md 27).
 */
export function roleOf(
  instance: GroupInstance,
  ec2: InstanceState | undefined,
  host: WorkerHost | undefined,
  seen: SeenInstance | undefined,
  is: { readonly ours: (host: WorkerHost) => boolean; readonly now: number; readonly readinessMs: number },
): Role {
  if (isTerminating(instance) || (ec2 !== undefined && ending.has(ec2))) return "terminating";
  if (!countsTowardsDesired(instance) || !instance.healthy || (ec2 !== undefined && halted.has(ec2))) return "unusable";
  const isLate = seen?.notReadySince !== undefined && is.now - seen.notReadySince >= is.readinessMs;
  if (host === undefined) return isLate ? "stuck" : "in_flight";
  if (!is.ours(host)) return "foreign";
  switch (host.status) {
    case "registering":
      return isLate ? "stuck" : "in_flight";
    case "active":
      return "active";
    case "draining":
      return "draining";
    case "termination_ready":
      return "ready";
    case "lost":
      return "lost_alive";
    case "unknown":
      return "unusable";
  }
}
