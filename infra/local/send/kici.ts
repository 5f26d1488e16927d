import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import type { Outcome } from "../../cli/outcome.ts";
import { type CommandParts, parsed } from "../../cli/run-command.ts";
import { secretFrom } from "../../cli/secret-from.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { signed } from "../../examples/kici/forward-to-drover.ts";
import { labelsOf, newAgentId, newRequestId, type ScaleUpPayload } from "../kici/events.ts";
import type { WorldFile } from "../world-file.ts";
import { chosenSecret } from "./secret.ts";
import { chosenUrl, localSecret, posted, refusalOf } from "./target.ts";

const target = `  --url URL            where to post; by default the running local world
  --secret-file FILE   file with the signing secret (or DROVER_SECRET in the environment,
                       or the local world's own)
`;

export const kiciUpUsage = `npm run send -- kici-up [--scaler S] [--agent A] [options]

Signs one KiCI scale-up as the provisioning workflow does, posts it once and prints what came back.

  --scaler S           scaler name; by default the local world's
  --agent A            agent id; by default a new one
  --labels A,B         the agent's whole label set; by default that of a pool labelled "default"
  --cpus N             resources.cpus
  --memory-mib N       resources.memBytes, in MiB
  --orchestrator-url U by default wss://kici.example.com/ws
  --claim-file FILE    file with the claim code (or DROVER_CLAIM_CODE in the environment);
                       by default a new one, which no orchestrator knows
${target}`;

export const kiciDownUsage = `npm run send -- kici-down --agent A [--scaler S] [--reason R] [options]

Signs one KiCI scale-down as the teardown workflow does, posts it once and prints what came back.

  --agent A            agent id
  --scaler S           scaler name; by default the local world's
  --reason R           by default shutdown
${target}`;

const options = {
  scaler: { type: "string" },
  agent: { type: "string" },
  url: { type: "string" },
  "secret-file": { type: "string" },
} as const;

const upOptions = {
  ...options,
  labels: { type: "string" },
  cpus: { type: "string" },
  "memory-mib": { type: "string" },
  "orchestrator-url": { type: "string" },
  "claim-file": { type: "string" },
} as const;

const downOptions = { ...options, reason: { type: "string" } } as const;

/** The function itself ends within 25 s. */
const timeoutMs = 30_000;

/** Sends the scale-up that the arguments describe. Throws UsageError for arguments that make no sense. */
export async function sendKiciUp(args: readonly string[], parts: CommandParts): Promise<Outcome> {
  const values = parsed(() => parseArgs({ args: [...args], options: upOptions, allowPositionals: false }).values);
  const scalerName = scalerOf(values.scaler, parts.world());
  const labels = values.labels?.split(",") ?? labelsOf(scalerName, ["default"]);
  const memory = amount("--memory-mib", values["memory-mib"]);
  const cpus = amount("--cpus", values.cpus);
  const payload: ScaleUpPayload = {
    scalerName,
    agentId: values.agent ?? newAgentId(Math.random),
    labels,
    mandatoryLabels: [],
    resources: {
      ...(cpus === undefined ? {} : { cpus }),
      ...(memory === undefined ? {} : { memBytes: Math.floor(memory * 1024 ** 2) }),
    },
    orchestratorUrl: values["orchestrator-url"] ?? "wss://kici.example.com/ws",
    claimCode:
      secretFrom(values["claim-file"], parts.variables["DROVER_CLAIM_CODE"], "claim code") ??
      randomBytes(32).toString("hex"),
    requestId: newRequestId(Math.random),
  };
  const what = `scale-up of ${payload.agentId} at scaler ${scalerName}, ${labels.length} labels`;
  return sendOnce("/kici/scale-up", what, payload, values, parts);
}

/** Sends the scale-down that the arguments describe. Throws UsageError for arguments that make no sense. */
export async function sendKiciDown(args: readonly string[], parts: CommandParts): Promise<Outcome> {
  const values = parsed(() => parseArgs({ args: [...args], options: downOptions, allowPositionals: false }).values);
  const { agent: agentId = "", reason = "shutdown" } = values;
  if (agentId === "") throw new UsageError("--agent A is missing.");
  const scalerName = scalerOf(values.scaler, parts.world());
  const payload = { scalerName, agentId, reason, requestId: newRequestId(Math.random) };
  return sendOnce(
    "/kici/scale-down",
    `scale-down of ${agentId} at scaler ${scalerName}: ${reason}`,
    payload,
    values,
    parts,
  );
}

async function sendOnce(
  path: string,
  what: string,
  payload: object,
  values: { url?: string | undefined; "secret-file"?: string | undefined },
  parts: CommandParts,
): Promise<Outcome> {
  const world = parts.world();
  const url = chosenUrl(values.url, world, path);
  const secret = chosenSecret(values["secret-file"], parts.variables, localSecret(world, url, "kici"));
  const body = JSON.stringify(payload);
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...signed(secret, `msg_${newRequestId(Math.random)}`, body, Date.now()),
  };
  const to = { url, isLocal: values.url === undefined, timeoutMs };
  return posted(what, to, { body: Buffer.from(body), headers }, (reply) => {
    const retryAfter = reply.headers["retry-after"];
    const after = retryAfter === undefined ? [] : [`(retry after ${retryAfter} s)`];
    return [String(reply.status), statusOf(reply.body) ?? refusalOf(reply.body) ?? "", ...after].join("  ");
  });
}

function statusOf(body: string): string | undefined {
  try {
    const { status, instanceId } = JSON.parse(body) as { status?: string; instanceId?: string };
    return status === undefined ? undefined : [status, instanceId].filter(Boolean).join(" ");
  } catch {
    return undefined;
  }
}

function scalerOf(given: string | undefined, world: WorldFile | undefined): string {
  const scaler = given ?? world?.scaler;
  if (scaler === undefined || scaler === "")
    throw new UsageError("--scaler S is missing, and no local world is running.");
  return scaler;
}

function amount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}(?:\.\d{1,3})?$/.test(text) && Number(text) > 0) return Number(text);
  throw new UsageError(`${name} must be a number above 0.`);
}
