import { readFileSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

/**
 * The secret to sign with: from a file, else from DROVER_SECRET, else the running local world's when the event goes
 * there. There is no option for the value itself, because arguments are visible to every user of a machine.
 */
export function chosenSecret(
  file: string | undefined,
  variables: NodeJS.ProcessEnv,
  local: { secret: string; isTarget: boolean } | undefined,
): string {
  const given = secretFrom(file, variables["DROVER_SECRET"], "signing secret");
  if (given !== undefined) return given;
  if (local?.isTarget === true) return local.secret;
  throw new UsageError("Give the signing secret with --secret-file FILE or in the environment as DROVER_SECRET.");
}

/** Something secret from a file, else from the environment; undefined when neither was given. */
export function secretFrom(file: string | undefined, variable: string | undefined, what: string): string | undefined {
  if (file === undefined) return variable === undefined ? undefined : nonEmpty(variable, what, "the environment");
  try {
    // Editors end files with a line break that is no part of the secret.
    return nonEmpty(readFileSync(file, "utf8").replace(/\r?\n$/, ""), what, file);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The file ${file} with the ${what} cannot be read.`);
  }
}

function nonEmpty(secret: string, what: string, where: string): string {
  if (secret === "") throw new UsageError(`The ${what} in ${where} is empty.`);
  return secret;
}
