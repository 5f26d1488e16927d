import { done, type Outcome } from "../../cli/outcome.ts";
import type { Reach } from "../reach.ts";

export async function showDeployment(reach: Reach): Promise<Outcome> {
  const found = await reach.controlPlane().deployment();
  const lines = [
    `release                 ${found.release}`,
    `source commit           ${found.source_commit ?? "not told"}`,
    `worker revision         ${found.worker_revision}`,
    `applied schema version  ${found.applied_schema_version}${found.schema_dirty ? "  DIRTY: a migration did not end" : ""}`,
    "This is one replica's word, and says nothing of the provider's fleet.",
  ];
  return done(lines, found);
}
