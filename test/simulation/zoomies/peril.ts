import type { HttpCall, HttpReply } from "../../../lib/edge/http-call.ts";
import { LedgerUnavailable } from "../../../lib/ledger/table.ts";
import type { Chance } from "../chance.ts";
import type { Mishap, Peril } from "../crash-points.ts";
import type { VirtualTime } from "../virtual-time.ts";
import type { Hazards } from "./hazards.ts";

const none: Mishap = { kind: "none" };
const unheard = () => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
const timedOut = () => Object.assign(new Error("Request did not complete in time"), { name: "TimeoutError" });
const throttled = () => Object.assign(new Error("Rate exceeded"), { name: "Throttling" });

/** How likely a call with these arguments goes wrong. */
type Often = (args: readonly unknown[]) => number;

/** What calls meet on their way; nothing once it is `calm`. */
export function perils(time: VirtualTime, chance: Chance, hazards: Hazards, isCalm: () => boolean) {
  const latencyMs = () => (chance.is(0.5) ? 0 : chance.whole(2, chance.is(0.1) ? 900 : 80));
  const usual: Often = () => hazards.mishap;
  const befalling = (kinds: (chance: Chance, args: readonly unknown[]) => Mishap, probability = usual): Peril => ({
    time,
    latencyMs,
    mishap(_call, args) {
      if (isCalm()) return none;
      if (chance.is(hazards.crash)) return { kind: "crash", moment: chance.pick(["before", "after"]) };
      return chance.is(probability(args)) ? kinds(chance, args) : none;
    },
  });
  const ofZoomies: Often = ([call]) => ((call as HttpCall).method === "GET" ? hazards.mishap : hazards.writes);
  return {
    ledger: befalling(ledgerMishap),
    aws: befalling(awsMishap),
    zoomies: befalling(zoomiesMishap, ofZoomies),
  };
}

function ledgerMishap(chance: Chance): Mishap {
  const error = new LedgerUnavailable("The ledger table could not be reached.");
  return chance.pick<Mishap>([
    { kind: "refused", error },
    { kind: "reply-lost", error },
    { kind: "lands-late", error, afterMs: chance.whole(1, 3000) },
    { kind: "repeated" },
  ]);
}

function awsMishap(chance: Chance): Mishap {
  return chance.pick<Mishap>([
    { kind: "refused", error: throttled() },
    { kind: "refused", error: unheard() },
    { kind: "reply-lost", error: unheard() },
    { kind: "lands-late", error: timedOut(), afterMs: chance.whole(1, 1500) },
  ]);
}

const reply = (status: number, body: string): HttpReply => ({ status, headers: {}, body: Buffer.from(body) });
const errorBody = (code: string) => JSON.stringify({ error: { code, message: "m", field: "", detail: "" } });

/** Errors of the API and of what stands before it, lost replies, and answers that are not what the API says. */
function zoomiesMishap(chance: Chance): Mishap {
  const odd = (distort: (answer: HttpReply) => HttpReply): Mishap => ({
    kind: "odd",
    distort: (answer) => distort(answer as HttpReply),
  });
  const instead = (status: number, body: string): Mishap => ({ kind: "refused-answer", answer: reply(status, body) });
  return chance.pick<Mishap>([
    { kind: "refused", error: unheard() },
    { kind: "reply-lost", error: unheard() },
    { kind: "lands-late", error: timedOut(), afterMs: chance.whole(1, 3000) },
    instead(500, errorBody("internal")),
    instead(503, "upstream connect error"),
    instead(404, "<html>not found</html>"),
    instead(429, errorBody("rate_limited")),
    odd(({ status }) => reply(status, "{}")),
    odd(({ status }) => reply(status, "<html></html>")),
    odd((answer) => shortened(answer)),
  ]);
}

/** A list that lacks its last row though it says how many there are, and any other answer unreadable. */
function shortened({ status, body }: HttpReply): HttpReply {
  try {
    const list = JSON.parse(body.toString()) as { items?: unknown[]; total?: number };
    if (Array.isArray(list.items) && list.items.length > 0 && list.total !== undefined) {
      return reply(status, JSON.stringify({ ...list, items: list.items.slice(0, -1) }));
    }
  } catch {
    // Falls through to what no reader takes for an answer.
  }
  return reply(status, body.toString().slice(0, -1));
}

/** A list of runners that lacks some rows, always the same ones, though it says how many there are. */
export function withoutRunners({ method, url }: HttpCall, answer: HttpReply): HttpReply {
  if (method !== "GET" || !url.pathname.endsWith("/runners") || answer.status !== 200) return answer;
  const list = JSON.parse(answer.body.toString()) as { items: { id: string }[] };
  const items = list.items.filter(({ id }) => id.charCodeAt(id.length - 1) % 2 === 0);
  return reply(answer.status, JSON.stringify({ ...list, items }));
}
