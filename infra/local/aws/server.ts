import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsError } from "./aws-error.ts";
import type { Cloud } from "./cloud.ts";
import { ConnectionLost, type Faults } from "./faults.ts";
import { parse, writeError } from "./wire/answer.ts";
import { type DynamoDbForwarder, forwardTo } from "./wire/dynamodb.ts";
import type { WireAnswer } from "./wire/envelopes.ts";
import { readBody, readRequest, type WireRequest } from "./wire/request.ts";

export interface AwsServerOptions {
  cloud: Cloud;
  faults: Faults;
  /** Loopback only, by default 127.0.0.1. */
  host?: string;
  /** 0 (the default) takes any free port. */
  port?: number;
  /** Where the embedded DynamoDB listens; without it DynamoDB calls are refused. */
  dynamodb?: { port: number };
}

export interface AwsServer {
  /** The one endpoint of all services, for AWS_ENDPOINT_URL. */
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves the simulated cloud over HTTP in AWS's own protocols, with faults on the way. Signatures are not checked. */
export async function startAwsServer(options: AwsServerOptions): Promise<AwsServer> {
  const { host = "127.0.0.1", port = 0 } = options;
  const dynamodb = options.dynamodb === undefined ? undefined : forwardTo(options.dynamodb.port);
  const closing = new AbortController();
  const server = createServer((request, response) => {
    serve(options, dynamodb, closing.signal, request, response).catch(() => response.destroy());
  });
  // Lambda environments keep their connections for minutes; a server that closes first would look like a fault.
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host}:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        closing.abort();
        server.close(() => resolve());
        server.closeAllConnections();
        dynamodb?.close();
      }),
  };
}

async function serve(
  options: AwsServerOptions,
  dynamodb: DynamoDbForwarder | undefined,
  closing: AbortSignal,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  const wire = readRequest(request, body);
  const requestId = randomUUID();
  if (wire === undefined) {
    const missing = new AwsError("MissingAuthenticationToken", "Request is missing Authentication Token", 403);
    return send(response, writeError("ec2", missing, requestId));
  }
  try {
    send(response, await perform(options, dynamodb, closing, request, wire, requestId));
  } catch (error) {
    if (error instanceof ConnectionLost) response.destroy();
    else if (error instanceof AwsError) send(response, writeError(wire.service, error, requestId));
    else throw error;
  }
}

async function perform(
  { cloud, faults }: AwsServerOptions,
  dynamodb: DynamoDbForwarder | undefined,
  closing: AbortSignal,
  request: IncomingMessage,
  wire: WireRequest,
  requestId: string,
): Promise<WireAnswer> {
  const { service, operation, caller, body } = wire;
  const { input, write } = await parse(wire);
  const effect = async (): Promise<WireAnswer> => {
    if (service !== "dynamodb") return write(cloud.call(service, operation, input, caller), requestId);
    if (dynamodb === undefined) throw new AwsError("InternalServerError", "This world has no DynamoDB.", 500);
    return dynamodb.forward(request, body);
  };
  const wait = (ms: number) => sleep(ms, undefined, { signal: closing });
  return faults.perform({ service, operation, caller, input }, cloud.world.now(), effect, { wait, outcomeOf });
}

function send(response: ServerResponse, answer: WireAnswer): void {
  if (response.destroyed) return;
  response.writeHead(answer.status, { ...answer.headers, "content-length": Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

/** A refusal by the embedded database comes as an answer; the log wants its code. */
function outcomeOf({ status, body }: WireAnswer): string {
  if (status < 400) return "ok";
  const [, code] = /"__type":"(?:[^"#]*#)?([^"]+)"/.exec(body.toString("utf8")) ?? [];
  return code ?? String(status);
}
