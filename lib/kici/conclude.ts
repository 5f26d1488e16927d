import { isHeld } from "../ledger/lease.ts";
import { isAgentInstance } from "./agent-instance.ts";
import { type AgentName, type AgentRecord, concluded, launched, withoutLease } from "./agent-record.ts";
import { type Answer, refusedWith } from "./answer.ts";
import { type Attempt, agentTag, scalerTag } from "./attempt.ts";
import { freePlace, type LaunchParts, type TeardownParts } from "./parts.ts";

/** How long EC2 may take to show, or to forget, what it was told (the issue: an id younger than this that is not found is lag). */
export const describeLagMs = 10 * 60_000;

/** The instance that EC2 shows for an agent, if any. */
export async function seenByTag(parts: TeardownParts, name: AgentName): Promise<string | undefined> {
  const living = await parts.instances.living({ [agentTag]: name.agent, [scalerTag]: name.scaler });
  return living.find(isAgentInstance)?.id;
}

/**
 * Ends an attempt that cannot be repeated, by what EC2 shows: an instance is adopted, and none means that the attempt
 * stays open until the reaper may be sure (never launch blindly).
 */
export async function concludeByLook(
  parts: LaunchParts,
  name: AgentName,
  attempt: Attempt,
  owner: string,
): Promise<Answer> {
  const instanceId = await seenByTag(parts, name);
  if (instanceId !== undefined) return adopt(parts, name, attempt, instanceId);
  await leaveOpen(parts, name, attempt, owner, parts.clock.now());
  const message = "An earlier attempt to launch this agent cannot be repeated, and EC2 shows no instance of it yet.";
  return refusedWith(409, "attempt_unsettled", message, 60);
}

/** The agent's instance is this one, whoever launched it. */
export async function adopt(
  parts: TeardownParts,
  name: AgentName,
  attempt: Attempt,
  instanceId: string,
): Promise<Answer> {
  const record = await parts.agents.change(name, (value) =>
    value?.phase === "launching" && value.attempt?.token === attempt.token && value.withdrawn === undefined
      ? launched(value, instanceId, parts.clock.now())
      : undefined,
  );
  const status = record?.withdrawn === undefined ? "exists" : "withdrawn";
  return { status, agentId: name.agent, instanceId };
}

/**
 * Lets go of an attempt of which nobody knows whether it launched: the next repeat takes it over, or the reaper ends it.
 * `unsureAt` is when a call of it was last left without an answer.
 */
export async function leaveOpen(
  parts: LaunchParts,
  name: AgentName,
  attempt: Attempt,
  owner: string,
  unsureAt: number,
): Promise<void> {
  await parts.agents.change(name, (value) =>
    value !== undefined && isMine(value, attempt, owner) ? { ...withoutLease(value), unsureAt } : undefined,
  );
}

/**
 * The attempt launched nothing, for certain. Its place is freed first, while the lease keeps every other attempt away;
 * a repeat that comes after takes a place of its own.
 */
export async function concludeFailed(
  parts: LaunchParts,
  name: AgentName,
  attempt: Attempt,
  owner: string,
): Promise<AgentRecord | undefined> {
  const known = await parts.agents.read(name);
  if (known === undefined || !isMine(known.value, attempt, owner)) return known?.value;
  if (!isHeld(known.value.lease, parts.clock.now())) return known.value;
  await freePlace(parts, name, known.value);
  const conclude = (value: AgentRecord | undefined) =>
    value !== undefined && isMine(value, attempt, owner)
      ? concluded(value, value.withdrawn === undefined ? "failed" : "ended")
      : undefined;
  return parts.agents.change(name, conclude, known);
}

export const isMine = (value: AgentRecord, attempt: Attempt, owner: string): boolean =>
  value.phase === "launching" && value.attempt?.token === attempt.token && value.lease?.owner === owner;
