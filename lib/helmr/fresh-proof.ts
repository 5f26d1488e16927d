import type { Groups } from "../capacity/group.ts";
import type { Hooks } from "../capacity/hooks.ts";
import type { Shrink } from "../capacity/shrink.ts";
import { ControlPlaneError } from "./control-plane.ts";
import type { EndOrder } from "./decision.ts";
import { surroundingsReasons } from "./drain-decision.ts";
import { missingProof } from "./proof.ts";
import type { ScaleInReceipt } from "./protocol.ts";
import type { Outlook } from "./session.ts";

/** What a proof is read with; nothing in it ends an instance. */
export interface ProofParts {
  readonly groups: Pick<Groups, "named">;
  readonly shrink: Pick<Shrink, "facts">;
  readonly hooks: Pick<Hooks, "of">;
}

/** What is missing, and where nothing is and the instance waits in a hook, that hook. */
export interface FreshProof {
  readonly missing: readonly string[];
  readonly hook?: string;
}

/** Every read is made now; any error means that nothing is proven (design: rule 3). */
export async function freshProof(
  { groups, shrink, hooks }: ProofParts,
  { controlPlane }: Pick<Outlook, "controlPlane">,
  { key, by, detail }: EndOrder,
): Promise<FreshProof> {
  const { hostId = "", instance = "", groupId, poolId, kind, decrement } = detail;
  const [host, rows, receipt] = await Promise.all([
    controlPlane.host(hostId),
    controlPlane.hosts({ resource_ids: [instance] }),
    kind === "scale_in" ? receiptOf(controlPlane.scaleInReceipt(groupId, key)) : undefined,
  ]);
  // AWS after Helmr: what is proven there must still be so when the group is looked at.
  const [group, facts] = await Promise.all([
    groups.named(detail.group, { instances: true }),
    shrink.facts(detail.group),
  ]);
  if (group === undefined) return { missing: ["the Auto Scaling group"] };
  const rowOfInstance = rows.worker_hosts.find((row) => row.worker_group_id === groupId);
  const missing = missingProof(key, detail, { groupId, poolId, host, rowOfInstance, receipt, group });
  const state = group.instances.find(({ id }) => id === instance)?.state;
  if (by === "hook") {
    if (state !== "Terminating:Wait") missing.push("the instance waits in its termination hook");
    const hook = missing.length > 0 ? undefined : await hookOf(hooks, group.name, detail.attempts);
    if (hook !== undefined) return { missing, hook };
    return { missing: missing.length > 0 ? missing : ["a termination hook of the group"] };
  }
  if (state !== "InService") missing.push("the instance is in service");
  if (decrement && group.desired <= group.min) missing.push(`desired capacity above MinSize ${group.min}`);
  missing.push(...surroundingsReasons({ group }, facts));
  return { missing };
}

async function receiptOf(read: Promise<ScaleInReceipt>): Promise<ScaleInReceipt | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ControlPlaneError && error.status === 404) return undefined;
    throw error;
  }
}

/** One hook a try, in turn: which of several an instance waits in, AWS does not say. */
async function hookOf(hooks: ProofParts["hooks"], group: string, attempts: number): Promise<string | undefined> {
  const ending = (await hooks.of(group)).filter(({ transition }) => transition === "terminating");
  return ending[attempts % Math.max(ending.length, 1)]?.name;
}
