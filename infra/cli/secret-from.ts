import { readFileSync } from "node:fs";
import { UsageError } from "./usage-error.ts";

/**
 * Something secret from a file, else from the environment; undefined when neither was given. There is no option for a value
 * itself anywhere, because arguments are visible to every user of a machine.
 */
export function secretFrom(file: string | undefined, variable: string | undefined, what: string): string | undefined {
  if (file === undefined) return variable === undefined ? undefined : nonEmpty(variable, what, "the environment");
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`The file ${file} with the ${what} cannot be read.`);
  }
  // Editors end files with a line break that is no part of the secret.
  return nonEmpty(text.replace(/\r?\n$/, ""), what, file);
}

function nonEmpty(secret: string, what: string, where: string): string {
  if (secret === "") throw new UsageError(`The ${what} in ${where} is empty.`);
  return secret;
}
