import { seededRandom } from "../../../infra/local/aws/random.ts";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";
import { type ApiFaults, apiFaults } from "../../../infra/local/zoomies/api/faults.ts";
import { inProcessSend } from "../../../infra/local/zoomies/api/in-process.ts";
import { startApiServer } from "../../../infra/local/zoomies/api/server.ts";
import { type Controller, zoomiesController } from "../../../infra/local/zoomies/controller.ts";
import { type HttpSend, httpSend } from "../../../lib/edge/http-call.ts";
import type { HostsApi, JoinsApi } from "../../../lib/zoomies/api.ts";
import { httpHostsApi, httpJoinsApi } from "../../../lib/zoomies/http-api.ts";

export const minute = 60_000;

/** The two credentials that Drover has, and one that may only look. */
export const tokens = {
  hosts: { role: "admin", scopes: ["hosts:cordon", "hosts:delete", "runners:drain", "pools:read"] },
  joins: { role: "admin", scopes: ["joins:write"] },
  looks: { role: "viewer", scopes: ["hosts:read", "runners:read", "joins:write"] },
  boss: { role: "platform", scopes: ["hosts:read"] },
} as const;

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** A stand-in controller on a clock that stands still, and its API as one of the two ways reaches it. */
export interface ContractWorld {
  readonly clock: ManualClock;
  readonly controller: Controller;
  readonly faults: ApiFaults;
  /** Drover's own adapters. */
  readonly hosts: HostsApi;
  readonly joins: JoinsApi;
  /** Any call with any token. `path` is below `/api/v1`. */
  call(method: "GET" | "POST" | "DELETE", path: string, body?: unknown, token?: string): Promise<Answer>;
  close(): Promise<void>;
}

export const ways = ["in process", "over HTTP"] as const;
export type Way = (typeof ways)[number];

export async function contractWorld(way: Way): Promise<ContractWorld> {
  const clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  const faults = apiFaults();
  const controller = zoomiesController(
    { destinationUrl: "http://127.0.0.1:9/", signingSecret: "s", apiTokens: tokens, runnerEndMs: () => 2_000 },
    {
      clock,
      random: seededRandom(1),
      wait: async () => {},
      post: async () => ({ status: 204, headers: {}, body: "" }),
    },
  );
  const server = way === "over HTTP" ? await startApiServer(controller.api, faults) : undefined;
  const url = server?.url ?? "https://zoomies.example.com";
  const send: HttpSend = server === undefined ? inProcessSend(controller.api, faults, async () => {}) : httpSend();
  const connect = (token: string) => ({
    url,
    send,
    timeoutMs: 2_000,
    token: { current: async () => token, after: async () => undefined },
  });
  return {
    clock,
    controller,
    faults,
    hosts: httpHostsApi(connect("hosts")),
    joins: httpJoinsApi(connect("joins")),
    async call(method, path, body, token = "hosts") {
      const reply = await send({
        method,
        url: new URL(`${url}/api/v1${path}`),
        headers: {
          authorization: `Bearer ${token}`,
          ...(method === "GET" ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: 2_000,
        mostBytes: 1_000_000,
      });
      const text = reply.body.toString();
      return { status: reply.status, body: text === "" ? undefined : JSON.parse(text) };
    },
    close: async () => server?.close(),
  };
}

export const errorCode = ({ body }: Answer): unknown => (body as { error?: { code?: string } }).error?.code;
