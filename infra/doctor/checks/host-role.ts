import type { Check, Diagnosis } from "../diagnosis.ts";

interface Statement {
  readonly Effect?: string;
  readonly Principal?: string | Readonly<Record<string, string | readonly string[]>>;
  readonly NotPrincipal?: unknown;
}

/** Who may become the role that hosts join with: EC2, for its instances, and nobody else. */
export const hostRole: Check = ({ hostRoleTrust, stack }) => {
  if (hostRoleTrust === undefined || hostRoleTrust.unread !== undefined) return [];
  const statements = [(hostRoleTrust.value as { Statement?: Statement | Statement[] } | null)?.Statement ?? []].flat();
  const trusted = new Set(statements.filter(({ Effect }) => Effect === "Allow").flatMap(principals));
  const resource = stack.parameters["ZoomiesHostRoleArn"] ?? "";
  const found: Diagnosis[] = [];
  if (!trusted.delete("ec2.amazonaws.com")) {
    const what = "The role's trust policy does not name ec2.amazonaws.com.";
    const why = "No instance can carry it, so none can join.";
    const fix = "Allow ec2.amazonaws.com sts:AssumeRole in it.";
    found.push({ severity: "error", code: "host_role_not_for_instances", resource, what, why, fix });
  }
  if (trusted.size > 0) {
    const what = `The role's trust policy also lets in ${[...trusted].join(", ")}.`;
    const why = "Who takes the role chooses the session's name, and could join in the name of any launching instance.";
    found.push({
      severity: "error",
      code: "host_role_trusts_others",
      resource,
      what,
      why,
      fix: "Leave ec2.amazonaws.com alone in it.",
    });
  }
  return found;
};

/** NotPrincipal with Allow lets in everybody else, whoever is named (IAM user guide, "NotPrincipal"). */
function principals({ Principal = {}, NotPrincipal }: Statement): string[] {
  if (NotPrincipal !== undefined) return ["everybody but some (NotPrincipal)"];
  return typeof Principal === "string" ? [Principal] : Object.values(Principal).flat();
}
