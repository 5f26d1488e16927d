import { parseArgs } from "node:util";
import { parsed } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";

/** Options that every command takes. The token has none: arguments are visible to every user of a machine. */
export const reachUsage = `  --stack NAME         a stack in AWS, whose parameters and outputs say where things are; by default the running local world (npm start)
  --group NAME         Worker group; by default the only one that the stack's groups name
  --json               one JSON document instead of text
In place of what the stack says, or for who may not read stacks:
  --url URL            Control Plane (parameter HelmrControlPlaneUrl)
  --region-id ID       region id (parameter HelmrRegionId)
  --table NAME         ledger (output TableName); for pause, resume and plan
  --secret ID          the capacity token's secret in Secrets Manager (output HelmrCapacityTokenArn); or
  --token-file FILE    a file that holds the token; or DROVER_HELMR_TOKEN in the environment
Credentials and region are the AWS SDK's usual ones.
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
  readonly options: ReturnType<typeof typed>["values"];
  readonly words: readonly string[];
};

const typed = (args: readonly string[]) =>
  parsed(() => parseArgs({ args: [...args], options: { ...common, ...own }, allowPositionals: true }));

/** Reads what was typed after the command's name. Throws UsageError for an option the command does not take. */
export function given(args: readonly string[], takes: readonly OwnOption[], words: readonly string[]): Given {
  const found = typed(args);
  const stray = (Object.keys(own) as OwnOption[]).find((name) => name in found.values && !takes.includes(name));
  if (stray !== undefined) throw new UsageError(`--${stray} is no option of this command.`);
  const missing = words[found.positionals.length];
  if (missing !== undefined && !missing.startsWith("[")) throw new UsageError(`${missing} is missing.`);
  const extra = found.positionals[words.length];
  if (extra !== undefined) throw new UsageError(`Nothing is expected at ${JSON.stringify(extra)}.`);
  return { options: found.values, words: found.positionals };
}
