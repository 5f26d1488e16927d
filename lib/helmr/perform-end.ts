import type { Group } from "../capacity/group.ts";
import type { TerminateOutcome } from "../capacity/shrink.ts";
import type { Observed } from "./acts.ts";
import { ControlPlaneError } from "./control-plane.ts";
import type { EndOrder } from "./decision.ts";
import { surroundingsReasons } from "./drain-decision.ts";
import type { DrainDetail, EndAttempt } from "./drain-operation.ts";
import type { HelmrParts } from "./parts.ts";
import { missingProof } from "./proof.ts";
import type { ScaleInReceipt } from "./protocol.ts";
import { mayMutate, type Session } from "./session.ts";

/** `missing` says what kept it from being sent; nothing was done then. */
export type EndResult =
  | TerminateOutcome
  | Observed
  | { readonly outcome: "unproven"; readonly missing: readonly string[] };

/**
 * Ends exactly one instance: reads everything that proves it afresh, records the attempt, and sends it once (design: rules
 * 2, 3 and 5). An instance that waits in its termination hook is let go instead: its place was given up by others.
 */
export async function performEnd(parts: HelmrParts, session: Session, order: EndOrder): Promise<EndResult> {
  await mayMutate(parts, session);
  const { by, detail } = order;
  const proof = await freshProof(parts, session, order);
  if (proof.missing.length > 0 || proof.group === undefined) return { outcome: "unproven", missing: proof.missing };
  const hook = by === "hook" ? await hookOf(parts, proof.group.name, detail.attempts) : undefined;
  if (by === "hook" && hook === undefined) return { outcome: "unproven", missing: ["a termination hook of the group"] };

  return parts.acts.end(parts, session, order, hook);
}

/** Records the attempt, sends it once, and records what became of it. */
export async function endInstance(
  parts: HelmrParts,
  session: Session,
  order: EndOrder,
  hook: string | undefined,
): Promise<TerminateOutcome> {
  const { by, key, detail } = order;
  const { group, instance = "", decrement } = detail;
  const at = parts.clock.now();
  await record(session, order, { by, at, outcome: "sent" }, detail.attempts + 1);
  session.hold.lasts(parts.settings.mutationTimeoutMs * 2);
  const sent =
    hook === undefined
      ? await parts.shrink.terminate(instance, { decrement })
      : await parts.hooks.complete({ group, hook, instance }, "CONTINUE");
  const code = sent.outcome === "accepted" ? {} : { code: sent.code };
  await session.open.advance(key, { detail: { lastAttempt: { by, at, outcome: sent.outcome, ...code } } });
  return sent;
}

async function record(session: Session, { key, detail }: EndOrder, lastAttempt: EndAttempt, attempts: number) {
  const whole: DrainDetail = { ...detail, lastAttempt, attempts };
  if (session.open.find(key) === undefined) await session.open.begin(key, "ending", whole);
  else await session.open.advance(key, { phase: "ending", detail: whole });
}

/** Every read is made now; any error means that nothing is proven. */
async function freshProof(
  { groups, shrink }: HelmrParts,
  { controlPlane }: Session,
  { key, by, detail }: EndOrder,
): Promise<{ readonly missing: readonly string[]; readonly group?: Group }> {
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
    return { missing, group };
  }
  if (state !== "InService") missing.push("the instance is in service");
  if (decrement && group.desired <= group.min) missing.push(`desired capacity above MinSize ${group.min}`);
  missing.push(...surroundingsReasons({ group }, facts));
  return { missing, group };
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
async function hookOf({ hooks }: HelmrParts, group: string, attempts: number): Promise<string | undefined> {
  const ending = (await hooks.of(group)).filter(({ transition }) => transition === "terminating");
  return ending[attempts % Math.max(ending.length, 1)]?.name;
}
