import { UsageError } from "../../cli/usage-error.ts";
import type { WorldFile } from "../world-file.ts";
import type { SendParts } from "./command.ts";

/** Where to post: what was given, else the path in the running local world. */
export function chosenUrl(given: string | undefined, world: WorldFile | undefined, path: string): string {
  const url = given ?? (world === undefined ? undefined : `${world.api}${path}`);
  if (url === undefined)
    throw new UsageError("No local world is running: start one with npm start, or give --url URL.");
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new UsageError("--url must be an http or https URL.");
  return url;
}

/** The local world's own secret, which is good for nothing but the local world. */
export function localSecret(world: WorldFile | undefined, url: string, of: "zoomies" | "kici") {
  if (world === undefined) return undefined;
  return { secret: world.secrets[of], isTarget: new URL(url).origin === new URL(world.api).origin };
}

/** A refusal's code and sentence, if the body is one. */
export function refusalOf(body: string): string | undefined {
  try {
    const { code, message } = JSON.parse(body) as { code?: unknown; message?: unknown };
    return [code, message].filter((part) => typeof part === "string").join(": ") || undefined;
  } catch {
    return undefined;
  }
}

/** Says that nobody answered; false, as for every request that was not accepted. */
export function unanswered(error: unknown, url: string, isLocal: boolean, parts: SendParts): false {
  parts.printError(`No answer from ${new URL(url).origin}: ${error instanceof Error ? error.message : String(error)}`);
  if (isLocal) parts.printError("Is the local world still running? Start it with npm start.");
  return false;
}
