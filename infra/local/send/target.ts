import { done, failed, type Outcome } from "../../cli/outcome.ts";
import { UsageError } from "../../cli/usage-error.ts";
import type { WorldFile } from "../world-file.ts";
import { post } from "../zoomies/post.ts";

const loopback = ["127.0.0.1", "localhost", "[::1]"];

/** Where to post: what was given, else the path in the running local world. */
export function chosenUrl(given: string | undefined, world: WorldFile | undefined, path: string): string {
  const url = given ?? (world === undefined ? undefined : `${world.api}${path}`);
  if (url === undefined)
    throw new UsageError("No local world is running: start one with npm start, or give --url URL.");
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: "", hostname: "" };
  // A scale-up holds a claim code.
  if (protocol === "https:" || (protocol === "http:" && loopback.includes(hostname))) return url;
  throw new UsageError("--url must be an https URL; http goes to this machine only.");
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

/** Posts once, and tells what was sent and what came back; ok for an accepted request. */
export async function posted(
  what: string,
  { url, isLocal, timeoutMs }: { readonly url: string; readonly isLocal: boolean; readonly timeoutMs: number },
  request: Parameters<typeof post>[1],
  answerOf: (reply: Reply) => string,
): Promise<Outcome> {
  let reply: Reply;
  try {
    reply = await post(url, request, timeoutMs);
  } catch (error) {
    const why = `No answer from ${new URL(url).origin}: ${error instanceof Error ? error.message : String(error)}`;
    const hint = isLocal ? ["Is the local world still running? Start it with npm start."] : [];
    return failed([what, why, ...hint], { error: "no_answer" });
  }
  const isAccepted = reply.status >= 200 && reply.status <= 299;
  return (isAccepted ? done : failed)([what, answerOf(reply)], { status: reply.status });
}

type Reply = Awaited<ReturnType<typeof post>>;
