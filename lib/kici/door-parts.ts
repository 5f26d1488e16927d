import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { clientTimeouts } from "../edge/client-timeouts.ts";
import { systemClock } from "../edge/clock.ts";
import type { Environment } from "../edge/environment.ts";
import { modeOf } from "../edge/mode.ts";
import { secretsManagerSource } from "../edge/secret-source.ts";
import { signingSecret } from "../edge/signing-secret.ts";
import type { Answer } from "./answer.ts";
import type { DoorParts } from "./front-door.ts";

/** What both front doors verify with, and how they answer. */
export function doorParts(env: Environment): Pick<DoorParts, "secret" | "replayMs" | "reply"> {
  const client = new SecretsManagerClient(clientTimeouts(3_000, 2));
  const source = secretsManagerSource(client, env.text("DROVER_KICI_SECRET"));
  const overlapMs = env.minutes("DROVER_SECRET_OVERLAP_MINUTES");
  return {
    secret: signingSecret(source, systemClock, { cacheMs: 60_000, overlapMs }),
    replayMs: env.minutes("DROVER_REPLAY_MINUTES"),
    reply: modeOf(env) === "act" ? (answer) => answer : observingReply,
  };
}

/** Whoever only observes calls nothing done, so that the workflow turns to whoever does it. Refusals say what to mend. */
export const observingReply = (answer: Answer): Answer =>
  answer.refusal === undefined ? { status: "observed", agentId: answer.agentId } : answer;
