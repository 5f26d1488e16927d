import { readFileSync } from "node:fs";
import { checkedToken } from "../../lib/helmr/capacity-token.ts";
import { UsageError } from "../local/send/usage-error.ts";

/** A token at hand: from a file or from the environment. Undefined when neither was given; a malformed one throws. */
export function tokenAtHand(file: string | undefined, variables: NodeJS.ProcessEnv): string | undefined {
  if (file === undefined) {
    const text = variables["DROVER_HELMR_TOKEN"];
    return text === undefined ? undefined : checkedToken(text);
  }
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`The token file ${file} cannot be read.`);
  }
  // Editors end files with a line break that is no part of the token.
  return checkedToken(text.replace(/\r?\n$/, ""));
}
