import type { IncomingMessage } from "node:http";
import type { Connection, Outgoing } from "./connection.ts";
import { ControlPlaneUnreachable, OddAnswer } from "./control-plane.ts";

export interface Bounds {
  /** From opening the request to the answer's last byte, in milliseconds. */
  readonly totalMs: number;
  readonly largestAnswer: number;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/**
 * Sends one request, once, and reads its whole answer within bounds. Throws {@link ControlPlaneUnreachable} for every way
 * of getting no whole answer, and {@link OddAnswer} for one that is too large. A redirect is an answer like any other: it
 * is never followed, because the token would travel with it.
 */
export function exchange(
  connection: Connection,
  outgoing: Outgoing,
  body: string | undefined,
  bounds: Bounds,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const opened = connection.open(outgoing, (answer) => read(answer, bounds.largestAnswer, finish, fail));
    const late = setTimeout(
      () => fail(new ControlPlaneUnreachable("The Control Plane did not answer in time.")),
      bounds.totalMs,
    );

    function finish(answer: Answer): void {
      clearTimeout(late);
      resolve(answer);
    }

    function fail(error: ControlPlaneUnreachable): void {
      clearTimeout(late);
      reject(error);
      opened.destroy();
    }

    // Heard for as long as the request lives: destroying it may report an error of its own.
    opened.on("error", (cause) => fail(noAnswer(cause)));
    opened.end(body);
  });
}

function read(
  answer: IncomingMessage,
  largest: number,
  finish: (answer: Answer) => void,
  fail: (error: ControlPlaneUnreachable) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > largest) fail(new OddAnswer(`The Control Plane's answer is larger than ${largest} bytes.`));
    else chunks.push(chunk);
  });
  answer.on("error", (cause) => fail(noAnswer(cause)));
  answer.on("close", () => {
    if (answer.complete) finish({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") });
    else fail(new ControlPlaneUnreachable("The Control Plane's answer was cut off."));
  });
}

/** The cause's code and message name hosts and ports at most, never a header. */
function noAnswer(cause: Error): ControlPlaneUnreachable {
  const { code } = cause as NodeJS.ErrnoException;
  return new ControlPlaneUnreachable(`The Control Plane could not be reached (${code ?? cause.message}).`);
}
