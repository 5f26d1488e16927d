import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { ApiAnswer } from "./answer.ts";
import type { ApiFaults } from "./faults.ts";
import type { ApiAnswers } from "./router.ts";

export type ApiServer = { url: string; close(): Promise<void> };

const base = "/api/v1";

/** The controller's HTTP address on a free loopback port: `/api/v1`, and its health (notes 4). */
export async function startApiServer(api: ApiAnswers, faults: ApiFaults): Promise<ApiServer> {
  const server = createServer((request, response) => {
    answerTo(request, api, faults).then(
      ({ status, body, headers = {} }) => {
        const text = body === undefined ? "" : JSON.stringify(body);
        response.writeHead(status, { ...(text === "" ? {} : { "content-type": "application/json" }), ...headers });
        response.end(text);
      },
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answerTo(request: IncomingMessage, api: ApiAnswers, faults: ApiFaults): Promise<ApiAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  if (url.pathname === "/healthz" || url.pathname === "/readyz") return { status: 200, body: { status: "ok" } };
  if (!url.pathname.startsWith(`${base}/`)) return { status: 404, body: "not found" };
  let body: unknown;
  try {
    body = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    const error = { code: "bad_request", message: "The body is no JSON.", field: "", detail: "" };
    return { status: 400, body: { error } };
  }
  const asked = {
    method: request.method ?? "GET",
    path: url.pathname.slice(base.length),
    query: url.searchParams,
    headers: request.headers as Record<string, string>,
    body,
  };
  return faults.perform(
    api.route(asked),
    () => api.answer(asked),
    (ms) => sleep(ms),
  );
}
