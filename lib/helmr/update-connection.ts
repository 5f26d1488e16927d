import type { ClientRequest, IncomingMessage } from "node:http";
import type { Connection } from "./connection.ts";
import { eventParser } from "./event-parser.ts";
import type { Timers } from "./timers.ts";

/** How long the peer may take until the stream is open. */
const openingMs = 10_000;
/** How long it may then say nothing, heartbeats included, before the connection counts as dead. */
const silenceMs = 60_000;
/** A stream that lived this long was a good one. */
const steadyMs = 10_000;

export interface UpdateConnection {
  readonly wire: Connection;
  readonly timers: Timers;
  readonly token: () => Promise<string>;
  readonly refused: (token: string) => void;
  readonly onChange: () => void;
  readonly onSteady: () => void;
  /** Called once, when this stream is over or never came to be. */
  readonly onLost: (reason: string) => void;
}

/** Opens one update stream and follows it to its end. Returns the way to end it at once, which still tells `onLost`. */
export function followOnce(parts: UpdateConnection): () => void {
  const { wire, timers, token, refused, onChange, onSteady, onLost } = parts;
  let request: ClientRequest | undefined;
  let isOver = false;
  let cancelSilence = timers.after(openingMs, () => lost("the stream did not open in time"));
  let cancelSteady = () => {};

  function lost(reason: string): void {
    if (isOver) return;
    isOver = true;
    cancelSilence();
    cancelSteady();
    request?.destroy();
    onLost(reason);
  }

  function heard(): void {
    cancelSilence();
    cancelSilence = timers.after(silenceMs, () => lost("the stream fell silent"));
  }

  function listen(answer: IncomingMessage, used: string): void {
    answer.on("error", () => lost("the stream was cut off"));
    answer.on("close", () => lost("the stream ended"));
    if (answer.statusCode === 401) refused(used);
    const refusal = refusalOf(answer);
    if (refusal !== undefined) {
      lost(refusal);
      return;
    }
    heard();
    cancelSteady = timers.after(steadyMs, onSteady);
    const parse = eventParser((name) => {
      if (name === "change" && !isOver) onChange();
    });
    answer.on("data", (chunk: Buffer) => {
      if (isOver) return;
      heard();
      parse(chunk);
    });
  }

  function open(secret: string): void {
    if (isOver) return;
    const headers = { Authorization: `Bearer ${secret}`, Accept: "text/event-stream" };
    const outgoing = { method: "GET", path: "/capacity/v1/updates", headers, connectMs: openingMs } as const;
    request = wire.open(outgoing, (answer) => listen(answer, secret));
    request.on("error", (error: NodeJS.ErrnoException) => lost(`the stream failed (${error.code ?? error.message})`));
    request.end();
  }

  token().then(open, () => lost("the token could not be read"));
  return () => lost("closed");
}

function refusalOf(answer: IncomingMessage): string | undefined {
  if (answer.statusCode !== 200) return `the stream was answered with ${answer.statusCode}`;
  const isStream = /^text\/event-stream\b/i.test(answer.headers["content-type"] ?? "");
  return isStream ? undefined : "the answer is no event stream";
}
