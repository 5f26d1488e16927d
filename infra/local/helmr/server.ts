import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createHelmrFaults, type HelmrFaults, NoAnswer } from "./faults.ts";
import { sendJson, sendRefusal } from "./http/answers.ts";
import { jsonBody } from "./http/request-body.ts";
import { queryOf } from "./http/request-query.ts";
import { prefix, routeOf, WrongMethod } from "./http/route.ts";
import { type StreamTimings, serveUpdates } from "./http/update-stream.ts";
import type { ControlPlaneModel } from "./model/control-plane-model.ts";
import { Refusal } from "./model/refusal.ts";
import { operations, perform } from "./operations/operations.ts";
import { assertQuery } from "./operations/query.ts";
import { createUpdateFeed, type UpdateFeed } from "./update-feed.ts";

export interface ControlPlaneServerOptions extends Partial<StreamTimings> {
  readonly model: ControlPlaneModel;
  /** 0 takes a free one. */
  readonly port?: number;
  readonly faults?: HelmrFaults;
}

export interface ControlPlaneServer {
  readonly url: string;
  readonly faults: HelmrFaults;
  readonly updates: UpdateFeed;
  close(): Promise<void>;
}

interface Parts {
  readonly model: ControlPlaneModel;
  readonly faults: HelmrFaults;
  readonly updates: UpdateFeed;
  readonly timings: StreamTimings;
  readonly closing: AbortSignal;
}

/** The capacity protocol over HTTP on 127.0.0.1, with the model behind it. */
export async function startControlPlane(options: ControlPlaneServerOptions): Promise<ControlPlaneServer> {
  const { model, port = 0, faults = createHelmrFaults(), coalesceMs = 20, heartbeatMs = 15_000 } = options;
  const closing = new AbortController();
  const updates = createUpdateFeed(model);
  const parts = { model, faults, updates, timings: { coalesceMs, heartbeatMs }, closing: closing.signal };
  const server = createServer((request, response) => {
    serve(parts, request, response).catch((error: unknown) => {
      if (error instanceof Refusal) sendRefusal(response, error);
      else if (error instanceof NoAnswer || closing.signal.aborted) response.destroy();
      else sendRefusal(response, new Refusal(500, error instanceof Error ? error.message : "unknown"));
    });
  });
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const forgetRotation = model.credential.onRotation(() => updates.cut());
  // Silence is noticed, and told to the stream, without anybody asking.
  const settling = setInterval(() => model.settle(), 1_000);
  settling.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    updates,
    close: () =>
      new Promise((resolve) => {
        clearInterval(settling);
        forgetRotation();
        closing.abort();
        updates.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { model, faults } = parts;
  const { method = "GET", url = "/" } = request;
  const path = url.split("?", 1)[0] ?? "/";
  if (!path.startsWith(`${prefix}/`)) throw new Refusal(404, "there is nothing here");
  model.credential.check(request.headers.authorization);
  const below = path.slice(prefix.length);
  const query = queryOf(url);
  if (below === "/updates") {
    if (method !== "GET") throw new WrongMethod(["GET"]);
    assertQuery(query);
    serveUpdates(response, parts.updates, parts.timings);
    return;
  }
  const { name, params } = routeOf(method, below);
  const operation = operations[name];
  const body = method === "GET" ? undefined : await jsonBody(request, operation.fields !== undefined);
  const caller = request.headers["user-agent"] ?? "http";
  const answer = await faults.perform(
    { at: model.region.now(), operation: name, caller, params, body },
    () => perform(model, name, { params, query, body }),
    (ms) => sleep(ms, undefined, { signal: parts.closing }),
  );
  sendJson(response, operation.status ?? 200, answer, operation.headers);
}
