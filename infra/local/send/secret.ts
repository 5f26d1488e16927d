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
  if (file !== undefined) {
    try {
      // Editors end files with a line break that is no part of the secret.
      return nonEmpty(readFileSync(file, "utf8").replace(/\r?\n$/, ""), file);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`The secret file ${file} cannot be read.`);
    }
  }
  const given = variables["DROVER_SECRET"];
  if (given !== undefined) return nonEmpty(given, "DROVER_SECRET");
  if (local?.isTarget === true) return local.secret;
  throw new UsageError("Give the signing secret with --secret-file FILE or in the environment as DROVER_SECRET.");
}

function nonEmpty(secret: string, where: string): string {
  if (secret === "") throw new UsageError(`The signing secret in ${where} is empty.`);
  return secret;
}
