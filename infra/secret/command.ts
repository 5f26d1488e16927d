import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { clientTimeouts } from "../../lib/edge/client-timeouts.ts";
import { secretsManagerSource } from "../../lib/edge/secret-source.ts";
import { localClient } from "../cli/local-aws.ts";
import { done, failed, type Outcome } from "../cli/outcome.ts";
import { type Command, type CommandParts, parsed } from "../cli/run-command.ts";
import { formWords, type SecretOutput, secretForms, shapeOf } from "../doctor/secret-forms.ts";
import { chosenTarget, targetUsage } from "../doctor/target.ts";
import { UsageError } from "../local/send/usage-error.ts";

const outputs = Object.keys(secretForms);

const usage = `npm run secret -- read OUTPUT --file FILE [--stack NAME]
npm run secret -- put OUTPUT --file FILE [--stack NAME]

Moves one of the stack's secrets into a new file that only you can read, or from a file into the stack. It prints no value.

  OUTPUT         ${outputs.slice(0, 3).join(", ")},
                 ${outputs.slice(3).join(", ")}
${targetUsage}`;

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
  const { account, name, endpoint } = chosenTarget(values.stack, parts.world());
  const arn = (await account.stack(name))?.outputs[output];
  if (arn === undefined || arn === "") {
    return failed([`The stack ${name} has no output ${output}.`], { error: "no_output", stack: name, output });
  }
  const client = new SecretsManagerClient({ ...clientTimeouts(5_000, 3), ...localClient(endpoint) });
  try {
    return await (action === "read" ? read : put)(client, arn, output, file);
  } finally {
    client.destroy();
  }
}

async function read(client: SecretsManagerClient, arn: string, output: SecretOutput, file: string): Promise<Outcome> {
  const version = await secretsManagerSource(client, arn).read("AWSCURRENT");
  if (version === undefined) return failed([`${output} has no value yet.`], { error: "no_value", output });
  // Not over another file, whose permissions would stay.
  if (existsSync(file))
    return failed([`There is a file ${file} already. Remove it first.`], { error: "file_exists", file });
  writeFileSync(file, version.value, { mode: 0o600, flag: "wx" });
  return done([`${output} is in ${file}, which only you can read. Remove it when you have used it.`], { output, file });
}

async function put(client: SecretsManagerClient, arn: string, output: SecretOutput, file: string): Promise<Outcome> {
  // Editors end files with a line break that is no part of the secret.
  const value = readFileSync(file, "utf8").replace(/\r?\n$/, "");
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
