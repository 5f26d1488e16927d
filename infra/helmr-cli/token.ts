import { checkedToken } from "../../lib/helmr/capacity-token.ts";
import { secretFrom } from "../cli/secret-from.ts";

/** A token at hand: from a file or from the environment. Undefined when neither was given; a malformed one throws. */
export function tokenAtHand(file: string | undefined, variables: NodeJS.ProcessEnv): string | undefined {
  const text = secretFrom(file, variables["DROVER_HELMR_TOKEN"], "capacity token");
  return text === undefined ? undefined : checkedToken(text);
}
