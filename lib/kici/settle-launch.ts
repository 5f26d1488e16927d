import type { Ending } from "../capacity/instances.ts";
import { pause } from "../edge/pause.ts";
import { type AgentRecord, concluded, launched } from "./agent-record.ts";
import { type Answer, awsRefused, refusedWith } from "./answer.ts";
import { concludeFailed, isMine, leaveOpen } from "./conclude.ts";
import { freePlace, type LaunchParts, type TeardownParts } from "./parts.ts";
import { tellTrail } from "./tell-trail.ts";
import type { Driven } from "./walk-offerings.ts";

/** Records the instance of an attempt; one whose agent was withdrawn meanwhile is ended at once. */
export async function settleLaunch(parts: LaunchParts, driven: Driven, instanceId: string): Promise<Answer> {
  const { name, attempt, stored } = driven;
  const value = launched(withoutUnsure(stored.value), instanceId, parts.clock.now());
  const { written, stored: found } = await parts.agents.write(name, stored, value);
  if (written) {
    await tellLaunch(parts, driven, { outcome: instanceId, once: true });
    return { status: "launched", agentId: name.agent, instanceId };
  }
  const record = found?.value;
  if (record?.withdrawn !== undefined) return undo(parts, driven, instanceId);
  if (record?.instanceId === instanceId) return { status: "exists", agentId: name.agent, instanceId };
  if (record === undefined || record.attempt?.token === attempt.token) {
    // Taken over after our lease ran out, by somebody who repeats the same call and gets the same instance.
    return refusedWith(409, "attempt_running", "Another attempt to launch this agent is running.", 5);
  }
  // Another attempt of this agent stands there: this instance is one too many, and its claim code may be spent.
  return undo(parts, driven, instanceId);
}

const withoutUnsure = ({ unsureAt: _settled, ...record }: AgentRecord): AgentRecord => record;

/** Ends an instance that should not be there. What cannot be ended now is recorded, and the reaper ends it. */
async function undo(parts: LaunchParts, { name, attempt }: Driven, instanceId: string): Promise<Answer> {
  const ending = await endYoung(parts, instanceId);
  const isOver = ending?.outcome === "ended";
  const record = await parts.agents.change(name, (value) => {
    if (value?.withdrawn === undefined || value.attempt?.token !== attempt.token || value.phase === "ended")
      return undefined;
    const known = launched(withoutUnsure(value), instanceId, parts.clock.now());
    return isOver ? concluded(known, "ended") : known;
  });
  if (record?.phase === "ended") await freePlace(parts, name, record);
  const outcome = `${instanceId} ${ending?.outcome ?? "not-found"}`;
  await tellTrail(parts, name, { decided: "undo the launch", reasons: [undoneBecause(record)], outcome });
  parts.logger.log("info", "launch undone", { scaler: name.scaler, agent: name.agent, instanceId, ended: isOver });
  if (ending?.outcome === "failed") {
    return awsRefused(
      ending.code,
      "The agent was withdrawn while it was launched, and EC2 refused to terminate it",
      20,
    );
  }
  return { status: "withdrawn", agentId: name.agent, instanceId };
}

const undoneBecause = (record: AgentRecord | undefined): string =>
  record?.withdrawn === undefined ? "another attempt launched the agent" : "the agent was withdrawn meanwhile";

/** Terminates an instance that EC2 may not see everywhere yet. */
async function endYoung(parts: TeardownParts, instanceId: string): Promise<Ending | undefined> {
  for (let tries = 1; ; tries += 1) {
    const [ending] = await parts.instances.end([instanceId]);
    if (ending?.outcome !== "not-found" || tries === 3) return ending;
    await pause(1_000);
  }
}

/** The token's instance lived and is over, by whatever hand: this agent was launched once, and is not launched again. */
export async function tokenOver(parts: LaunchParts, { name, attempt, owner }: Driven): Promise<Answer> {
  const record = await parts.agents.change(name, (value) =>
    value !== undefined && isMine(value, attempt, owner) ? concluded(value, "ended") : undefined,
  );
  if (record?.phase === "ended") await freePlace(parts, name, record);
  return { status: record?.withdrawn === undefined ? "absent" : "withdrawn", agentId: name.agent };
}

/** A write of ours found something newer before the next call: nothing of this invocation runs. */
export async function afterWithdrawal(parts: LaunchParts, driven: Driven): Promise<Answer> {
  const { name, attempt, owner } = driven;
  const record = await concludeFailed(parts, name, attempt, owner);
  if (record?.withdrawn !== undefined) return { status: "withdrawn", agentId: name.agent };
  const instance = record?.instanceId;
  if (record?.phase === "launched" && instance !== undefined) {
    return { status: "exists", agentId: name.agent, instanceId: instance };
  }
  return refusedWith(409, "attempt_running", "Another attempt to launch this agent is running.", 5);
}

/**
 * Nothing was launched, because Drover only observes: the attempt ends as one that launched nothing, so that a repeat may
 * begin another. One of which an earlier call may have launched stays open.
 */
export async function observedLaunch(parts: LaunchParts, driven: Driven): Promise<Answer> {
  const { name, attempt, owner, stored } = driven;
  await tellLaunch(parts, driven, { outcome: "observed" });
  const { unsureAt } = stored.value;
  if (unsureAt === undefined) await concludeFailed(parts, name, attempt, owner);
  else await leaveOpen(parts, name, attempt, owner, unsureAt);
  return { status: "observed", agentId: name.agent };
}

async function tellLaunch(
  parts: LaunchParts,
  { name, attempt }: Driven,
  line: { readonly outcome: string; readonly once?: boolean },
): Promise<void> {
  const { number, offering, templateId, templateVersion, imageId } = attempt;
  const saw = { attempt: number, ...offering, templateId, templateVersion, imageId };
  await tellTrail(parts, name, { saw, decided: "launch", reasons: ["scale-up"], ...line });
}
