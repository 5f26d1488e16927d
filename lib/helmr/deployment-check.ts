import type { Deployment } from "./protocol.ts";

/** Why this Control Plane starts no new drain; empty when nothing speaks against it. `expected` undefined accepts any revision. */
export function deploymentReasons(deployment: Deployment, expected: string | undefined): string[] {
  const reasons: string[] = [];
  if (deployment.schema_dirty) reasons.push("the Control Plane's database schema is dirty");
  const revision = String(deployment.worker_revision);
  if (expected !== undefined && revision !== expected) {
    reasons.push(`worker protocol revision ${revision} instead of ${expected}`);
  }
  return reasons;
}
