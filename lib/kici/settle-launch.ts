import type { Ending } from "../capacity/instances.ts";
import { errorFields } from "../edge/logger.ts";
import { pause } from "../edge/pause.ts";
import { type AgentRecord, concluded, launched } from "./agent-record.ts";
import { type Answer, awsRefused, refusedWith } from "./answer.ts";
import { concludeFailed, isMine } from "./conclude.ts";
import { freePlace, type LaunchParts, type TeardownParts, trailOf } from "./parts.ts";
import type { Driven } from "./walk-offerings.ts";

/** Records the instance of an attempt; one whose agent was withdrawn meanwhile is ended at once. */
export async function settleLaunch(parts: LaunchParts, driven: Driven, instanceId: string): Promise<Answer> {
  const { name, attempt, stored } = driven;
  const value = launched(withoutUnsure(stored.value), instanceId, parts.clock.now());
  const { written, stored: found } = await parts.agents.write(name, stored, value);
  if (written) {
    await tellTrail(parts, driven, instanceId);
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

/** The launch is durable without this line; that it cannot be written is no reason to answer otherwise. */
async function tellTrail(parts: LaunchParts, { name, attempt }: Driven, instanceId: string): Promise<void> {
  const { number, offering, templateId, templateVersion, imageId } = attempt;
  const saw = { agent: name.agent, attempt: number, ...offering, templateId, templateVersion, imageId };
  await parts.trail
    .append({ fleet: trailOf(name.scaler), saw, decided: "launch", reasons: ["scale-up"], outcome: instanceId })
    .catch((error: unknown) => parts.logger.log("warn", "trail not written", errorFields(error)));
}
