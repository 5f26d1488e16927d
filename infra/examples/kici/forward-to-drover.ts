// Copy this file into .kici/workflows/ beside the two workflows. It needs nothing but Node.
import { createHmac, randomUUID } from "node:crypto";

/** Where Drover listens and what it verifies with. */
export interface Drover {
  /** The stack's output KiciScaleUpUrl or KiciScaleDownUrl. */
  readonly url: string;
  /** The value of the stack's secret KiciSecret. */
  readonly secret: string;
}

/** Drover's good answer. */
export interface DroverAnswer {
  readonly status: "launched" | "exists" | "withdrawn" | "terminating" | "absent";
  readonly agentId: string;
  readonly instanceId?: string;
}

/** Drover did not take the event. The message has Drover's own code and sentence, and nothing of the event. */
export class DroverRefused extends Error {
  override readonly name = "DroverRefused";
}

/** What this file needs of the world; a test brings its own. */
export interface Surroundings {
  now(): number;
  wait(ms: number): Promise<void>;
  /** 0 to below 1. */
  random(): number;
}

const surroundings: Surroundings = {
  now: () => Date.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: () => Math.random(),
};

/** Drover answers within 25 s, and API Gateway ends a request after 30. */
const tryTimeoutMs = 30_000;
/** No try begins later than this. With the last one's timeout it is half of the 300 s in which the agent must claim. */
export const giveUpAfterMs = 120_000;
const longestPauseMs = 20_000;

/**
 * Signs the event, posts it, and repeats it while a repeat can help: no answer, 409, 429 and 5xx. Any other answer throws
 * at once. Never logs: the event holds the claim code.
 */
export async function forwardToDrover(drover: Drover, payload: unknown, at = surroundings): Promise<DroverAnswer> {
  requireHttps(drover.url);
  // Serialised once: the bytes that are signed are the bytes that are sent.
  const body = JSON.stringify(payload);
  const id = `msg_${randomUUID()}`;
  const giveUpAt = at.now() + giveUpAfterMs;
  for (let tries = 1; ; tries += 1) {
    const reply = await post(drover, id, body, at.now());
    if (reply.status >= 200 && reply.status <= 299) return JSON.parse(reply.text) as DroverAnswer;
    const pauseMs = pauseAfter(reply, tries, at.random());
    if (!canHelp(reply.status) || at.now() + pauseMs >= giveUpAt) throw refused(reply, tries);
    await at.wait(pauseMs);
  }
}

interface Reply {
  /** 0 when no answer came. */
  readonly status: number;
  readonly text: string;
  /** Milliseconds. */
  readonly retryAfter: number;
}

const canHelp = (status: number): boolean => status === 0 || status === 409 || status === 429 || status >= 500;

/** Longer after each try, and never shorter than Drover asks for. */
function pauseAfter({ retryAfter }: Reply, tries: number, random: number): number {
  const growing = 1_000 * 2 ** Math.min(tries - 1, 4);
  return Math.min(Math.max(growing * (0.5 + random / 2), retryAfter), longestPauseMs);
}

/** One try, signed anew: Drover takes a signature for five minutes only. */
async function post({ url, secret }: Drover, id: string, body: string, now: number): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...signed(secret, id, body, now) },
      body,
      // A redirect would carry the claim code somewhere else.
      redirect: "error",
      signal: AbortSignal.timeout(tryTimeoutMs),
    });
    const text = await response.text();
    return { status: response.status, text, retryAfter: 1_000 * Number(response.headers.get("retry-after") ?? 0) || 0 };
  } catch (error) {
    return { status: 0, text: error instanceof Error ? error.message : String(error), retryAfter: 0 };
  }
}

/** Standard Webhooks: HMAC-SHA256 over id, timestamp and body, keyed by the base64 after whsec_. */
export function signed(secret: string, id: string, body: string, now: number): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const key = Buffer.from(secret.trim().replace(/^whsec_/, ""), "base64");
  const mac = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
}

function refused({ status, text }: Reply, tries: number): DroverRefused {
  const what = status === 0 ? `Drover did not answer: ${text}` : `Drover answered ${status} ${sentence(text)}`;
  return new DroverRefused(`${what} (${tries === 1 ? "1 try" : `${tries} tries`})`);
}

/** Drover's code and message; of anybody else's answer (a proxy's, say) nothing. */
function sentence(text: string): string {
  try {
    const { code, message } = JSON.parse(text) as { code?: unknown; message?: unknown };
    return [code, message].filter((part) => typeof part === "string").join(": ");
  } catch {
    return "";
  }
}

function requireHttps(url: string): void {
  if (!URL.canParse(url))
    throw new DroverRefused("Drover's URL is missing or is no URL: set it as a variable of the job's context.");
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:" || (protocol === "http:" && hostname === "127.0.0.1")) return;
  throw new DroverRefused(`${url} is not an https URL, and the event holds the agent's claim code.`);
}
