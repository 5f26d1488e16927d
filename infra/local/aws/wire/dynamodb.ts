import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import type { WireAnswer } from "./envelopes.ts";
import { readBody } from "./request.ts";

/** Forwards a DynamoDB request, byte for byte, to the embedded database, and brings its answer back unchanged. */
export interface DynamoDbForwarder {
  forward(original: IncomingMessage, body: Buffer): Promise<WireAnswer>;
  close(): void;
}

export function forwardTo(port: number): DynamoDbForwarder {
  const agent = new Agent({ keepAlive: true });
  return {
    forward: (original, body) =>
      new Promise((resolve, reject) => {
        const { method, url: path, headers } = original;
        const outgoing = httpRequest({ agent, host: "127.0.0.1", port, method, path, headers }, (reply) => {
          readBody(reply).then(
            (answer) => resolve({ status: reply.statusCode ?? 500, headers: plain(reply), body: answer }),
            reject,
          );
        });
        outgoing.on("error", reject);
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function plain(reply: IncomingMessage): Record<string, string> {
  const kept = Object.entries(reply.headers).filter(
    ([name]) => !["connection", "keep-alive", "transfer-encoding"].includes(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
