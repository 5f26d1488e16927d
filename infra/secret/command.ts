import { existsSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { clientTimeouts } from "../../lib/edge/client-timeouts.ts";
import { secretsManagerSource } from "../../lib/edge/secret-source.ts";
import { localClient } from "../cli/local-aws.ts";
import { done, failed, type Outcome } from "../cli/outcome.ts";
import { type Command, type CommandParts, parsed } from "../cli/run-command.ts";
import { secretFrom } from "../cli/secret-from.ts";
import { chosenTarget, deployedAt, outputOf, targetUsage } from "../cli/target.ts";
import { UsageError } from "../cli/usage-error.ts";
import { formWords, type SecretOutput, secretForms, shapeOf } from "../doctor/secret-forms.ts";

const outputs = Object.keys(secretForms);

const usage = `npm run secret -- read OUTPUT --file FILE [--stack NAME]
npm run secret -- put OUTPUT --file FILE [--stack NAME]

Moves one of the stack's secrets into a new file that only you can read, or from a file into the stack. It prints no value.

  OUTPUT         ${outputs.slice(0, 3).join(", ")},
                 ${outputs.slice(3).join(", ")}
  --file FILE    read: must not exist yet; put: one line break at its end is left out
${targetUsage}  --json         one JSON document instead of text
`;

export const secret: Command = { name: "secret", usage, perform };

async function perform(args: readonly string[], parts: CommandParts): Promise<Outcome> {
  const options = { file: { type: "string" }, stack: { type: "string" }, json: { type: "boolean" } } as const;
  const { values, positionals } = parsed(() => parseArgs({ args: [...args], options, allowPositionals: true }));
  const [action, output = "", ...more] = positionals;
  const { file = "" } = values;
  if ((action !== "read" && action !== "put") || more.length > 0)
    throw new UsageError("Say what to do: read or put, and one OUTPUT.");
  if (!isOutput(output)) throw new UsageError(`OUTPUT must be one of ${outputs.join(", ")}.`);
  if (file === "") throw new UsageError("--file FILE is missing.");
  const target = chosenTarget(values.stack, parts.world());
  // What is wrong with the file needs no word with AWS.
  const value = action === "put" ? secretFrom(file, undefined, output) : undefined;
  const arn = outputOf(await deployedAt(target), output);
  const client = new SecretsManagerClient({ ...clientTimeouts(5_000, 3), ...localClient(target.endpoint) });
  try {
    return value === undefined ? await read(client, arn, output, file) : await put(client, arn, output, value);
  } finally {
    client.destroy();
  }
}

async function read(client: SecretsManagerClient, arn: string, output: SecretOutput, file: string): Promise<Outcome> {
  // Not over another file, whose permissions would stay.
  if (existsSync(file))
    return failed([`There is a file ${file} already. Remove it first.`], { error: "file_exists", file });
  const version = await secretsManagerSource(client, arn).read("AWSCURRENT");
  if (version === undefined) return failed([`${output} has no value yet.`], { error: "no_value", output });
  try {
    writeFileSync(file, version.value, { mode: 0o600, flag: "wx" });
  } catch (error) {
    return failed([`The file ${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`], {
      error: "file_not_written",
      file,
    });
  }
  return done([`${output} is in ${file}, which only you can read. Remove it when you have used it.`], { output, file });
}

async function put(client: SecretsManagerClient, arn: string, output: SecretOutput, value: string): Promise<Outcome> {
  const { isPlaceholder, isJson, hasEdges, isWellFormed } = shapeOf(value, secretForms[output]);
  if (isPlaceholder || isJson || hasEdges || !isWellFormed) {
    const words = `${output} must be ${formWords[secretForms[output]]}: the bare value, no JSON, no blanks around it.`;
    return failed([`${words} Nothing was put.`], { error: "malformed", output });
  }
  await client.send(new PutSecretValueCommand({ SecretId: arn, SecretString: value }));
  return done(
    [
      `${output} has a new value. It is read within a minute, or, for a token that Drover sends, once the old one is refused.`,
    ],
    { output },
  );
}

const isOutput = (name: string): name is SecretOutput => Object.hasOwn(secretForms, name);
