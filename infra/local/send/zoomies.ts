import { parseArgs } from "node:util";
import type { Outcome } from "../../cli/outcome.ts";
import { type CommandParts, parsed } from "../../cli/run-command.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { type CapacityEvent, goTimestamp, newEventId } from "../zoomies/event.ts";
import { signedRequest } from "../zoomies/signed-request.ts";
import { chosenSecret } from "./secret.ts";
import { chosenUrl, localSecret, posted, refusalOf } from "./target.ts";

export const zoomiesUsage = `npm run send -- zoomies --pool POOL --capacity N --slots N [options]

Signs one Zoomies capacity event, posts it and prints what came back.

  --pool POOL          pool id
  --capacity N         current_capacity: runner slots that hosts have now
  --slots N            required_runner_slots: missing slots (negative: slots too many)
  --url URL            where to post; by default the running local world
  --secret-file FILE   file with the signing secret (or DROVER_SECRET in the environment,
                       or the local world's own)
  --type TYPE          capacity_demand (default) or scale_down_opportunity
  --backend NAME       docker (default), podman or process
  --selector K=V,...   host selector; by default any host
  --event-id ID        by default a new one
  --timestamp T        RFC 3339; by default now
  --queued N           queued_job_count; by default the missing slots
`;

const options = {
  pool: { type: "string" },
  capacity: { type: "string" },
  slots: { type: "string" },
  url: { type: "string" },
  "secret-file": { type: "string" },
  type: { type: "string" },
  backend: { type: "string" },
  selector: { type: "string" },
  "event-id": { type: "string" },
  timestamp: { type: "string" },
  queued: { type: "string" },
} as const;

const path = "/zoomies/capacity";
const timeoutMs = 10_000;

/** Sends the event that the arguments describe. Throws UsageError for arguments that make no sense. */
export async function sendZoomies(args: readonly string[], parts: CommandParts): Promise<Outcome> {
  const values = typed(args);
  const world = parts.world();
  const url = chosenUrl(values.url, world, path);
  const secret = chosenSecret(values["secret-file"], parts.variables, localSecret(world, url, "zoomies"));
  const event = eventOf(values);
  const { required_runner_slots: slots, current_capacity: capacity } = event;
  const what = `${event.type} ${event.event_id}: pool ${event.pool_id}, ${capacity} + ${slots} = ${capacity + slots} slots`;
  const to = { url, isLocal: values.url === undefined, timeoutMs };
  return posted(what, to, signedRequest(event, secret), ({ status, headers, body }) =>
    answerLine(status, headers["x-drover-outcome"], body),
  );
}

function typed(args: readonly string[]) {
  // A negative number after a space would be taken for an option.
  const joined = args.flatMap((arg, index) => {
    if (/^-\d+$/.test(arg)) return [];
    const next = args[index + 1];
    return arg.startsWith("--") && next !== undefined && /^-\d+$/.test(next) ? [`${arg}=${next}`] : [arg];
  });
  return parsed(() => parseArgs({ args: joined, options, allowPositionals: false }).values);
}

function eventOf(values: ReturnType<typeof typed>): CapacityEvent {
  if (values.pool === undefined || values.pool === "") throw new UsageError("--pool POOL is missing.");
  const slots = integer("--slots", values.slots);
  return {
    schema_version: 1,
    event_id: values["event-id"] ?? newEventId(Math.random),
    type: typeOf(values.type),
    timestamp: values.timestamp ?? goTimestamp(Date.now()),
    pool_id: values.pool,
    host_selector: selectorOf(values.selector),
    backend: values.backend ?? "docker",
    required_runner_slots: slots,
    current_capacity: integer("--capacity", values.capacity),
    queued_job_count: values.queued === undefined ? Math.max(0, slots) : integer("--queued", values.queued),
    oldest_queue_age_seconds: 0,
  };
}

function typeOf(type = "capacity_demand"): CapacityEvent["type"] {
  if (type === "capacity_demand" || type === "scale_down_opportunity") return type;
  throw new UsageError("--type must be capacity_demand or scale_down_opportunity.");
}

function integer(name: string, text: string | undefined): number {
  if (text === undefined) throw new UsageError(`${name} N is missing.`);
  if (!/^-?\d{1,15}$/.test(text)) throw new UsageError(`${name} must be a whole number.`);
  return Number(text);
}

function selectorOf(text: string | undefined): Record<string, string> {
  if (text === undefined || text === "") return {};
  return Object.fromEntries(
    text.split(",").map((pair) => {
      const equals = pair.indexOf("=");
      if (equals < 1) throw new UsageError("--selector must be KEY=VALUE pairs with commas between them.");
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

function answerLine(status: number, outcome: string | string[] | undefined, body: string): string {
  const said = refusalOf(body);
  return [String(status), outcome === undefined ? undefined : `x-drover-outcome: ${outcome}`, said]
    .filter((part) => part !== undefined)
    .join("  ");
}
