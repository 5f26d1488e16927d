import { parseArgs } from "node:util";
import { UsageError } from "../local/send/usage-error.ts";

/** Options that every command takes. The token has none: arguments are visible to every user of a machine. */
export const reachUsage = `Where things are. With none of the first three, the running local world (npm start):

  --url URL            Control Plane (stack parameter HelmrControlPlaneUrl)
  --stack NAME         stack, as in the tag drover:stack of its groups
  --table NAME         the stack's ledger table; for pause, resume, operations and plan
  --region-id ID       region id (stack parameter HelmrRegionId)
  --group NAME         Worker group; by default the only one that the stack's groups name
  --secret ID          the capacity token's secret in Secrets Manager, by name or ARN; or
  --token-file FILE    a file that holds the token; or DROVER_HELMR_TOKEN in the environment
  --json               one JSON document instead of text
`;

const common = {
  url: { type: "string" },
  stack: { type: "string" },
  table: { type: "string" },
  "region-id": { type: "string" },
  group: { type: "string" },
  secret: { type: "string" },
  "token-file": { type: "string" },
  json: { type: "boolean" },
} as const;

/** Every option of every command, by name; a command names those that it takes. */
const own = {
  pool: { type: "string" },
  all: { type: "boolean" },
  reason: { type: "string" },
  minimum: { type: "string" },
  "no-plan": { type: "boolean" },
  "worker-revision": { type: "string" },
} as const;

export type OwnOption = keyof typeof own;
export type Given = {
  readonly options: ReturnType<typeof parsed>["values"];
  readonly words: readonly string[];
};

function parsed(args: readonly string[]) {
  return parseArgs({ args: [...args], options: { ...common, ...own }, allowPositionals: true });
}

/** Reads what was typed after the command's name. Throws UsageError for an option the command does not take. */
export function given(args: readonly string[], takes: readonly OwnOption[], words: readonly string[]): Given {
  let found: ReturnType<typeof parsed>;
  try {
    found = parsed(args);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const stray = (Object.keys(own) as OwnOption[]).find((name) => name in found.values && !takes.includes(name));
  if (stray !== undefined) throw new UsageError(`--${stray} is no option of this command.`);
  const missing = words[found.positionals.length];
  if (missing !== undefined && !missing.startsWith("[")) throw new UsageError(`${missing} is missing.`);
  const extra = found.positionals[words.length];
  if (extra !== undefined) throw new UsageError(`Nothing is expected at ${JSON.stringify(extra)}.`);
  return { options: found.values, words: found.positionals };
}
