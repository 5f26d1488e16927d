import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gatewayAnswer, type HttpAnswer, httpAnswer } from "./http/answer.ts";
import { type IamIdentities, iamClaims } from "./http/iam-authorizer.ts";
import { type ApiPlace, payloadEvent } from "./http/payload-event.ts";
import type { LocalFunctions } from "./lambda/functions.ts";

export type Gateway = { url: string; port: number; close(): Promise<void> };

/** An HTTP API takes payloads up to 10 MB (API Gateway quotas). */
const LARGEST_BODY = 10 * 1024 * 1024;

/**
 * An HTTP API on a loopback port that answers the template's routes by running their functions. Port 0 picks a free one.
 * Rejects with the system's `EADDRINUSE` when the port is taken.
 */
export async function startGateway(
  functions: LocalFunctions,
  place: ApiPlace,
  port: number,
  identities: IamIdentities = () => undefined,
): Promise<Gateway> {
  const routes = routeTable(functions);
  const server = createServer((request, response) => {
    answer(request, functions, routes, place, identities).then(
      (reply) => send(response, reply),
      // The sender went away in the middle of its request.
      () => response.destroy(),
    );
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Target = { functionId: string; iam: boolean };

function routeTable({ definitions }: LocalFunctions): ReadonlyMap<string, Target> {
  const routes = new Map<string, Target>();
  for (const { id, routes: own } of definitions) {
    for (const { method, path, iam = false } of own) {
      if (/[{$]/.test(path)) throw new Error(`The local gateway answers plain paths only, and ${id} has ${path}.`);
      routes.set(`${method} ${path}`, { functionId: id, iam });
    }
  }
  return routes;
}

async function answer(
  request: IncomingMessage,
  functions: LocalFunctions,
  routes: ReadonlyMap<string, Target>,
  place: ApiPlace,
  identities: IamIdentities,
): Promise<HttpAnswer> {
  const path = (request.url ?? "/").split("?")[0];
  const key = [`${request.method} ${path}`, `ANY ${path}`].find((each) => routes.has(each));
  const target = key === undefined ? undefined : routes.get(key);
  const body = await wholeBody(request);
  if (key === undefined || target === undefined) return gatewayAnswer(404, "Not Found");
  if (body === undefined) return gatewayAnswer(413, "Request Entity Too Large");
  const event = payloadEvent(request, body, key, place);
  if (target.iam) {
    const { method = "", url = "", headers } = request;
    const claims = iamClaims({ method, url, headers, body }, place.region, identities, Date.now());
    if (claims === undefined) return gatewayAnswer(403, "Forbidden");
    Object.assign(event.requestContext, { authorizer: { iam: { ...claims, cognitoIdentity: null } } });
  }
  const { outcome } = await functions.invoke(target.functionId, event);
  return httpAnswer(outcome);
}

/** The request's bytes; undefined when they are more than the API takes. */
async function wholeBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= LARGEST_BODY) chunks.push(chunk);
  }
  return size <= LARGEST_BODY ? Buffer.concat(chunks) : undefined;
}

function send(response: ServerResponse, { status, headers, cookies, body }: HttpAnswer): void {
  response.writeHead(status, {
    ...headers,
    ...(cookies.length > 0 ? { "set-cookie": [...cookies] } : {}),
    ...(status === 204 || status === 304 ? {} : { "content-length": String(body.length) }),
  });
  response.end(status === 204 || status === 304 ? undefined : body);
}
