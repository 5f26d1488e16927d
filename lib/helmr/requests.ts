import { isCanonicalId } from "./answer-fields.ts";
import type { Connection, Outgoing } from "./connection.ts";
import { ControlPlaneError, ControlPlaneUnauthorized, ControlPlaneUnreachable, OddAnswer } from "./control-plane.ts";
import { errorAnswer } from "./error-envelope.ts";
import { type Answer, exchange } from "./exchange.ts";

export interface RequestSettings {
  /** The capacity token as it is now. What it throws comes through. */
  readonly token: () => Promise<string>;
  /** Told that this token was refused with a 401. */
  readonly refused?: (token: string) => void;
  /** Waits between a read's tries, in milliseconds; tests do not. */
  readonly wait?: (ms: number) => Promise<void>;
  readonly connectMs?: number;
  readonly readMs?: number;
  readonly mutationMs?: number;
}

/** How requests are sent. A read is sent again once after a failure that a moment may mend, nothing else ever (the contract). */
export interface Requests {
  read<T>(path: string, decode: (value: unknown) => T, largestAnswer?: number): Promise<T>;
  /** Posts what may be lost without harm, over the connections that reads keep: the plan, which is made anew each cycle. */
  submit<T>(path: string, body: unknown, decode: (value: unknown) => T): Promise<T>;
  /** Over a connection of its own. `body` undefined sends none at all, not even `{}`. */
  mutate<T>(method: "POST" | "PUT", path: string, body: unknown, decode: (value: unknown) => T): Promise<T>;
}

interface Request {
  readonly method: Outgoing["method"];
  readonly path: string;
  readonly body?: string | undefined;
  readonly alone?: boolean;
  readonly largestAnswer: number;
}

const mebibyte = 1024 * 1024;
/** For answers with a row for each host: 1,000 hosts credited to several pools are some megabytes. */
export const largeAnswer = 8 * mebibyte;
/** The contract's own limit on mutating bodies. */
const largestBody = 16 * 1024;
const secondTryAfterMs = 200;
const passing = new Set([429, 500, 502, 503, 504]);

const realWait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** An id as a path segment. What is no canonical id is refused here, so that no id can point anywhere else. */
export function segment(id: string): string {
  if (!isCanonicalId(id)) throw new RangeError("An id is not a canonical UUID.");
  return id;
}

export function requests(connection: Connection, settings: RequestSettings): Requests {
  const { token, wait = realWait, connectMs = 2_000, readMs = 5_000, mutationMs = 5_000 } = settings;

  async function once<T>(request: Request, decode: (value: unknown) => T): Promise<T> {
    const { method, path, body, alone = false, largestAnswer } = request;
    const secret = await token();
    const headers = {
      Authorization: `Bearer ${secret}`,
      Accept: "application/json",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(method === "GET" ? {} : { "Content-Length": Buffer.byteLength(body ?? "") }),
    };
    const outgoing = { method, path: `/capacity/v1${path}`, headers, connectMs, alone };
    const bounds = { totalMs: method === "GET" ? readMs : mutationMs, largestAnswer };
    const answer = await exchange(connection, outgoing, body, bounds);
    if (answer.status >= 200 && answer.status < 300) return decode(json(answer));
    if (answer.status < 400) {
      throw new OddAnswer(
        `The Control Plane answered ${answer.status}; redirects are refused. Set its URL to its own.`,
      );
    }
    if (answer.status === 401) settings.refused?.(secret);
    throw errorAnswer(answer.status, answer.body, secret);
  }

  /** Worth a second try: no whole answer, a passing state of the server, or a token that has been replaced since. */
  async function mayMend(error: unknown, used: string | undefined): Promise<boolean> {
    if (error instanceof ControlPlaneUnauthorized) return used !== undefined && (await token()) !== used;
    if (error instanceof ControlPlaneError) return passing.has(error.status);
    return error instanceof ControlPlaneUnreachable && !(error instanceof OddAnswer);
  }

  return {
    async read(path, decode, largestAnswer = mebibyte) {
      const request = { method: "GET", path, largestAnswer } as const;
      const used = await token();
      try {
        return await once(request, decode);
      } catch (error) {
        if (!(await mayMend(error, used))) throw error;
      }
      await wait(secondTryAfterMs);
      // After a thaw every kept connection may be dead: the second try trusts none of them.
      return once({ ...request, alone: true }, decode);
    },
    submit: async (path, body, decode) =>
      once({ method: "POST", path, body: bounded(body), largestAnswer: largeAnswer }, decode),
    mutate: async (method, path, body, decode) =>
      once({ method, path, body: bounded(body), alone: true, largestAnswer: mebibyte }, decode),
  };
}

/** The body as it is sent. One past the contract's limit is refused as the peer would, and nothing is sent. */
function bounded(body: unknown): string | undefined {
  const text = body === undefined ? undefined : JSON.stringify(body);
  if (text === undefined || Buffer.byteLength(text) <= largestBody) return text;
  throw new ControlPlaneError(413, "request_too_large", "The request is larger than 16 KiB and was not sent.");
}

function json({ status, body }: Answer): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new OddAnswer(`The Control Plane answered ${status} with a body that is not JSON.`);
  }
}
