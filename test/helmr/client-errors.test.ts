import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorFields } from "../../lib/edge/logger.ts";
import {
  ControlPlaneError,
  ControlPlaneUnauthorized,
  ControlPlaneUnreachable,
  isRefusal,
  OddAnswer,
} from "../../lib/helmr/control-plane.ts";
import { httpControlPlane } from "../../lib/helmr/http-control-plane.ts";
import { deploymentAnswer, hostAnswer, ids, testToken } from "./answers.ts";
import { answer, type Script, ScriptedServer } from "./scripted-server.ts";

let server: ScriptedServer;
const waits: number[] = [];
const refused: string[] = [];
let token = testToken;

const clientOf = (baseUrl: string, times: { connectMs?: number; readMs?: number; mutationMs?: number } = {}) =>
  httpControlPlane({
    baseUrl,
    token: async () => token,
    refused: (used) => refused.push(used),
    wait: async (ms) => {
      waits.push(ms);
    },
    ...times,
  });
let client: ReturnType<typeof clientOf>;
let hasty: ReturnType<typeof clientOf>;

beforeAll(async () => {
  server = await ScriptedServer.start();
  client = clientOf(server.url);
  hasty = clientOf(server.url, { readMs: 60, mutationMs: 60 });
});
afterAll(async () => {
  client.close();
  hasty.close();
  await server.stop();
});

const envelope = (code: string, message = "why") => ({ error: { code, message, details: { any: 1 } } });
const drain = { expected_epoch: 3, expected_claim_version: 1, reason: "idle_scale_in" } as const;
const sendDrain = () => client.drain(ids.host, drain);

async function failureOf(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    return error as Error;
  }
  throw new Error("The call succeeded.");
}

describe("an error answer becomes a typed error by its code", () => {
  const table: [number, unknown, string, boolean][] = [
    [409, envelope("queued_demand_present"), "queued_demand_present", true],
    [409, envelope("insufficient_ready_hosts"), "insufficient_ready_hosts", true],
    [409, envelope("conflict"), "conflict", true],
    [409, envelope("execution_capacity_unavailable"), "execution_capacity_unavailable", true],
    [422, envelope("execution_capacity_unavailable"), "execution_capacity_unavailable", true],
    [503, envelope("execution_capacity_unavailable"), "execution_capacity_unavailable", true],
    [404, envelope("not_found"), "not_found", true],
    [400, "", "bad_request", true],
    [403, "<html>no</html>", "forbidden", true],
    [404, "null", "not_found", true],
    [405, "[]", "method_not_allowed", true],
    [409, { error: "conflict" }, "conflict", true],
    [410, { error: { code: 7, message: {} } }, "gone", true],
    [413, { error: { code: "Not A Code\n", message: "m" } }, "request_too_large", true],
    [418, "", "bad_request", true],
    [422, { error: [] }, "unprocessable_entity", true],
    [429, "slow down", "rate_limited", true],
    [408, "", "bad_request", false],
    [500, "oops", "internal_error", false],
    [502, "<html>", "bad_gateway", false],
    [503, "", "service_unavailable", false],
    [504, "", "gateway_timeout", false],
    [599, "", "internal_error", false],
  ];

  it.each(table)("%i %j -> %s, refused for certain: %s", async (status, body, code, isCertain) => {
    server.script(answer(status, body));
    const error = await failureOf(sendDrain());
    expect(error).toBeInstanceOf(ControlPlaneError);
    expect(error).toMatchObject({ name: "ControlPlaneError", status, code });
    expect(isRefusal(error)).toBe(isCertain);
    expect(server.arrived, "a mutation is sent once").toHaveLength(1);
  });

  it("keeps the peer's sentence short and free of control characters", async () => {
    server.script(answer(409, envelope("conflict", `a\u001b[31m\n${"x".repeat(5_000)}`)));
    const { message } = await failureOf(sendDrain());
    expect(message.length).toBeLessThan(400);
    expect(message).not.toMatch(/\p{Cc}/u);
  });
});

describe("a refused token is its own condition", () => {
  it("names it, tells the token's keeper, and sends a mutation no second time", async () => {
    refused.length = 0;
    server.script(answer(401, envelope("unauthorized"), { "www-authenticate": "Bearer" }));
    const error = await failureOf(sendDrain());
    expect(error).toBeInstanceOf(ControlPlaneUnauthorized);
    expect(error).toMatchObject({ status: 401, code: "unauthorized" });
    expect(refused).toEqual([testToken]);
    expect(server.arrived).toHaveLength(1);
  });

  it("reads again only when another token has come meanwhile", async () => {
    server.script(answer(401, envelope("unauthorized")));
    expect(await failureOf(client.deployment())).toBeInstanceOf(ControlPlaneUnauthorized);
    expect(server.arrived).toHaveLength(1);

    const next = Buffer.alloc(32, "rotated").toString("base64url");
    server.script(
      (response) => {
        token = next;
        answer(401, "")(response, { method: "", url: "", headers: {}, body: "" });
      },
      answer(200, deploymentAnswer),
    );
    expect(await client.deployment()).toEqual(deploymentAnswer);
    expect(server.arrived.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${testToken}`,
      `Bearer ${next}`,
    ]);
    token = testToken;
  });
});

const hangUp: Script = (response) => response.socket?.destroy();
const cut: Script = (response) => {
  response.writeHead(200, { "content-length": 1_000 });
  response.write('{"id":');
  setImmediate(() => response.socket?.destroy());
};
const silent: Script = () => undefined;
const stalled: Script = (response) => {
  response.writeHead(200);
  response.write("{");
};

describe("no whole answer means that nothing is known", () => {
  it.each([
    ["a peer that hangs up", hangUp],
    ["an answer that is cut off", cut],
    ["a peer that never answers", silent],
    ["an answer that never ends", stalled],
  ])("%s: unreachable; a mutation is not sent again, a read once", async (_name, script) => {
    server.script(script);
    const lost = await failureOf(hasty.lost(ids.host));
    expect(lost).toBeInstanceOf(ControlPlaneUnreachable);
    expect(isRefusal(lost)).toBe(false);
    expect(server.arrived).toHaveLength(1);

    server.script(script);
    waits.length = 0;
    expect(await failureOf(hasty.deployment())).toBeInstanceOf(ControlPlaneUnreachable);
    expect(server.arrived).toHaveLength(2);
    expect(waits).toEqual([200]);
  });

  it.each([
    ["hangs up", hangUp],
    ["answers 503", answer(503, "")],
    ["answers 429", answer(429, "")],
  ])("a read survives a peer that %s once", async (_name, script) => {
    server.script(script, answer(200, deploymentAnswer));
    expect(await client.deployment()).toEqual(deploymentAnswer);
  });

  it("a read takes a plain refusal for an answer", async () => {
    server.script(answer(404, envelope("not_found")));
    expect(await failureOf(client.host(ids.host))).toMatchObject({ code: "not_found" });
    expect(server.arrived).toHaveLength(1);
  });

  it("says that nothing listens", async () => {
    const gone = await ScriptedServer.start();
    const { url } = gone;
    await gone.stop();
    const nowhere = clientOf(url);
    const error = await failureOf(nowhere.deployment());
    expect(error).toBeInstanceOf(ControlPlaneUnreachable);
    expect(error.message).toContain("ECONNREFUSED");
  });
});

describe("an answer that is not the contract's is as good as none", () => {
  it.each<[string, Script]>([
    ["no JSON", answer(200, "hello")],
    ["nothing", answer(200, "")],
    ["204", (response) => response.writeHead(204).end()],
    ["a list", answer(200, [])],
    ["another host", answer(200, { ...hostAnswer, id: ids.group })],
    ["a missing claim version", answer(200, { ...hostAnswer, claim_version: undefined })],
    [
      "a claim version past all whole numbers",
      answer(200, JSON.stringify(hostAnswer).replace('_version":1', '_version":1e300')),
    ],
    ["a status of another type", answer(200, { ...hostAnswer, status: 1 })],
    ["a redirect", answer(302, "", { location: "https://127.0.0.1:1/" })],
    ["a redirect that keeps the method", answer(307, "", { location: "/elsewhere" })],
  ])("%s: odd, and not asked again", async (_name, script) => {
    server.script(script);
    const error = await failureOf(client.host(ids.host));
    expect(error).toBeInstanceOf(OddAnswer);
    expect(error).toBeInstanceOf(ControlPlaneUnreachable);
    expect(server.arrived).toHaveLength(1);
  });

  it("an answer past its bound is odd, one within it is taken", async () => {
    const padded = (bytes: number) => answer(200, JSON.stringify(hostAnswer).padEnd(bytes));
    server.script(padded(1024 * 1024));
    expect(await client.host(ids.host)).toMatchObject({ id: ids.host });
    server.script(padded(1024 * 1024 + 1));
    expect(await failureOf(client.host(ids.host))).toBeInstanceOf(OddAnswer);

    const list = (bytes: number) => answer(200, JSON.stringify({ worker_hosts: [hostAnswer] }).padEnd(bytes));
    server.script(list(8 * 1024 * 1024));
    expect((await client.hosts({})).worker_hosts).toHaveLength(1);
    server.script(list(8 * 1024 * 1024 + 1));
    expect(await failureOf(client.hosts({}))).toBeInstanceOf(OddAnswer);
  });

  it.each([
    ["of another group", { ...hostAnswer, worker_group_id: ids.pool }],
    ["of another resource", { ...hostAnswer, resource_id: "i-0fffffff" }],
    ["of another status", { ...hostAnswer, status: "lost" }],
  ])("a list with a host %s is odd", async (_name, row) => {
    server.script(answer(200, { worker_hosts: [row] }));
    const filter = {
      worker_group_id: ids.group,
      resource_ids: [hostAnswer.resource_id],
      statuses: ["active"] as const,
    };
    expect(await failureOf(client.hosts(filter))).toBeInstanceOf(OddAnswer);
  });

  it("a list that names a resource twice is odd", async () => {
    server.script(answer(200, { worker_hosts: [hostAnswer, { ...hostAnswer, id: ids.key }] }));
    expect(await failureOf(client.hosts({}))).toBeInstanceOf(OddAnswer);
  });

  it("a list of as many rows as asked for at most counts as truncated", async () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ ...hostAnswer, resource_id: `i-${index}` }));
    server.script(answer(200, { worker_hosts: rows }));
    expect((await client.hosts({})).truncated).toBe(true);
    server.script(answer(200, { worker_hosts: rows.slice(1) }));
    expect((await client.hosts({})).truncated).toBe(false);
  });

  it("a pending scale-in that says neither null nor which is odd, never none", async () => {
    for (const body of [{}, { operation: {} }, { operation: false }, { operation: { phase: "completed" } }]) {
      server.script(answer(200, body));
      expect(await failureOf(client.pendingScaleIn(ids.group))).toBeInstanceOf(OddAnswer);
    }
  });

  it("a receipt of another key, or with two epochs, is odd", async () => {
    const bodies = [
      { operation_key: ids.host, phase: "draining" },
      { operation_key: ids.key, phase: "draining", epoch: 1, worker_epoch: 2 },
    ];
    for (const body of bodies) {
      server.script(answer(200, body));
      expect(await failureOf(client.scaleIn(ids.group, ids.pool, ids.key))).toBeInstanceOf(OddAnswer);
    }
  });
});

describe("the token stays out of every error", () => {
  it.each<[string, Script]>([
    [
      "an envelope that echoes it",
      (response, { headers }) =>
        answer(409, envelope("conflict", headers.authorization))(response, { method: "", url: "", headers, body: "" }),
    ],
    ["a code that is it", answer(409, { error: { code: testToken, message: testToken } })],
    ["a page that echoes it", answer(502, testToken)],
    ["an odd answer that echoes it", answer(200, { id: testToken, status: testToken })],
    ["a redirect to it", answer(301, testToken, { location: `/?t=${testToken}` })],
    ["a 401", answer(401, envelope("unauthorized", testToken))],
    ["a cut answer", cut],
    ["a hang-up", hangUp],
  ])("%s", async (_name, script) => {
    server.script(script);
    const error = await failureOf(sendDrain());
    const shown = [
      String(error),
      inspect(error, { depth: 20, showHidden: true }),
      JSON.stringify(error),
      JSON.stringify(errorFields(error)),
      error.stack,
    ];
    for (const text of shown) expect(text).not.toContain(testToken);
  });
});
