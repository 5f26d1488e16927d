import { secretFrom } from "../../cli/secret-from.ts";
import { UsageError } from "../../cli/usage-error.ts";

/** The secret to sign with: from a file, else from DROVER_SECRET, else the running local world's when the event goes there. */
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
