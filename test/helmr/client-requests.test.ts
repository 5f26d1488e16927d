import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ControlPlane } from "../../lib/helmr/control-plane.ts";
import { httpControlPlane } from "../../lib/helmr/http-control-plane.ts";
import {
  deploymentAnswer,
  groupAnswer,
  hostAnswer,
  ids,
  planAnswer,
  policyAnswer,
  poolAnswer,
  receiptAnswer,
  testToken,
} from "./answers.ts";
import { answer, ScriptedServer } from "./scripted-server.ts";

let server: ScriptedServer;
let client: ControlPlane & { close(): void };

beforeAll(async () => {
  server = await ScriptedServer.start();
  client = httpControlPlane({ baseUrl: server.url, token: async () => testToken });
});
afterAll(async () => {
  client.close();
  await server.stop();
});

const { group, pool, host, key } = ids;
const planRequest = {
  expected_supply_fingerprint: "f-1",
  observed_at: "2026-10-22T00:00:00Z",
  pools: [{ pool_id: pool, max_additional_workers: 10, active_workers: 1, registering_workers: 0 }],
};
const limits = { cpu_millis: 1, memory_bytes: 2, disk_bytes: 3, vm_slots: 4, max_tasks: 5, io_bytes_per_second: 6 };
const policy = { expected_revision: 1, optional: limits, local_headroom_slots: 7 };
const drain = { expected_epoch: 3, expected_claim_version: 1, reason: "replacement" } as const;
const primary = { expected_group_claim_version: 4, minimum_ready_hosts: 1, pool_id: pool };
const twoIds = ["i-0aaaaaaa", "i-0bbbbbbb"];

/** Name, call, peer's answer, request line, request body (undefined: none at all), what the caller gets. */
const operations: [string, (c: ControlPlane) => Promise<unknown>, unknown, string, unknown, unknown][] = [
  [
    "resolves a group",
    (c) => c.resolveGroup("aws-us-east-1", "default"),
    groupAnswer,
    "GET /capacity/v1/worker-groups/resolve?region_id=aws-us-east-1&name=default",
    undefined,
    { id: group, supply_fingerprint: "f-1", primary_pool_id: pool, claim_version: 4 },
  ],
  [
    "resolves a pool",
    (c) => c.resolvePool(group, "default"),
    poolAnswer,
    `GET /capacity/v1/worker-groups/${group}/pools/resolve?name=default`,
    undefined,
    { id: pool, sealed_at: "2026-08-29T00:00:00.123456789Z", retained_profiles: { profiles: [], complete: false } },
  ],
  [
    "plans",
    (c) => c.plan(group, planRequest),
    planAnswer,
    `POST /capacity/v1/worker-groups/${group}/plan`,
    planRequest,
    { complete: true, pools: [{ recommended_additional_workers: 2, policy_revision: 1, reclaiming_workers: 0 }] },
  ],
  [
    "reads a policy",
    (c) => c.resourcePolicy(group, pool),
    policyAnswer,
    `GET /capacity/v1/worker-groups/${group}/pools/${pool}/resource-policy`,
    undefined,
    policyAnswer,
  ],
  [
    "replaces a policy",
    (c) => c.replaceResourcePolicy(group, pool, policy),
    { policy_revision: 2, optional: limits, local_headroom_slots: 7 },
    `PUT /capacity/v1/worker-groups/${group}/pools/${pool}/resource-policy`,
    policy,
    { revision: 2, optional: limits, local_headroom_slots: 7 },
  ],
  [
    "asks for a scale-in",
    (c) => c.scaleIn(group, pool, key),
    receiptAnswer,
    `POST /capacity/v1/worker-groups/${group}/pools/${pool}/scale-in`,
    { operation_key: key },
    { operation_key: key, phase: "draining", epoch: 3, claim_version: 2, resource_id: "i-0123456789abcdef0" },
  ],
  [
    "reads that no scale-in is pending",
    (c) => c.pendingScaleIn(group),
    { operation: null },
    `GET /capacity/v1/worker-groups/${group}/scale-in-operations/pending`,
    undefined,
    undefined,
  ],
  [
    "reads the pending scale-in",
    (c) => c.pendingScaleIn(group),
    { operation: { ...receiptAnswer, phase: "paused_by_the_future" } },
    `GET /capacity/v1/worker-groups/${group}/scale-in-operations/pending`,
    undefined,
    { operation_key: key, phase: "unknown" },
  ],
  [
    "reads one receipt",
    (c) => c.scaleInReceipt(group, key),
    { operation: { phase: "completed" } },
    `GET /capacity/v1/worker-groups/${group}/scale-in-operations/${key}`,
    undefined,
    { operation_key: key, phase: "completed" },
  ],
  [
    "selects the primary pool",
    (c) => c.setPrimaryPool(group, primary),
    { worker_group: groupAnswer, applied: true },
    `PUT /capacity/v1/worker-groups/${group}/primary-pool`,
    primary,
    { worker_group: { id: group, claim_version: 4 }, applied: true },
  ],
  [
    "reads the deployment",
    (c) => c.deployment(),
    deploymentAnswer,
    "GET /capacity/v1/deployment",
    undefined,
    deploymentAnswer,
  ],
  [
    "lists a group's live hosts",
    (c) => c.hosts({ worker_group_id: group, statuses: ["registering", "active", "draining"] }),
    { worker_hosts: [hostAnswer] },
    `GET /capacity/v1/worker-hosts?worker_group_id=${group}&status=registering&status=active&status=draining&limit=500`,
    undefined,
    {
      worker_hosts: [{ id: host, current_epoch: 3, drain_blockers: { unreconciled_session_processes: 2 } }],
      truncated: false,
    },
  ],
  [
    "lists hosts by resource, each once",
    (c) => c.hosts({ resource_ids: [...twoIds, ...twoIds] }),
    { worker_hosts: [] },
    "GET /capacity/v1/worker-hosts?resource_id=i-0aaaaaaa&resource_id=i-0bbbbbbb&limit=500",
    undefined,
    { worker_hosts: [], truncated: false },
  ],
  [
    "lists hosts that still hold state",
    (c) => c.hosts({ has_unreclaimed_instance: true }),
    { worker_hosts: [] },
    "GET /capacity/v1/worker-hosts?has_unreclaimed_instance=true&limit=500",
    undefined,
    { worker_hosts: [] },
  ],
  ["reads a host", (c) => c.host(host), hostAnswer, `GET /capacity/v1/worker-hosts/${host}`, undefined, { id: host }],
  [
    "drains a host",
    (c) => c.drain(host, drain),
    { ...hostAnswer, status: "draining", drain_reason: "replacement" },
    `POST /capacity/v1/worker-hosts/${host}/drain`,
    drain,
    { status: "draining", drain_reason: "replacement" },
  ],
  [
    "reports a host lost, without any body",
    (c) => c.lost(host),
    { ...hostAnswer, status: "lost", lost_at: "2026-08-29T00:00:00Z" },
    `POST /capacity/v1/worker-hosts/${host}/lost`,
    undefined,
    { status: "lost", lost_at: "2026-08-29T00:00:00Z" },
  ],
  [
    "creates a pool",
    (c) => c.createPool(group, { name: "default", expected_group_claim_version: 4 }),
    { ...poolAnswer, status: "pending", sealed_at: null },
    `POST /capacity/v1/worker-groups/${group}/pools`,
    { name: "default", expected_group_claim_version: 4 },
    { status: "pending" },
  ],
  [
    "disables a pool",
    (c) => c.disablePool(group, pool, { expected_pool_claim_version: 2 }),
    { ...poolAnswer, status: "disabled" },
    `POST /capacity/v1/worker-groups/${group}/pools/${pool}/disable`,
    { expected_pool_claim_version: 2 },
    { status: "disabled" },
  ],
];

describe("every operation sends exactly what the contract says", () => {
  it.each(operations)("%s", async (_name, call, peerAnswer, line, body, expected) => {
    server.script(answer(200, peerAnswer));
    const got = await call(client);
    if (expected === undefined) expect(got).toBeUndefined();
    else expect(got).toMatchObject(expected as object);

    expect(server.arrived).toHaveLength(1);
    const [request] = server.arrived;
    expect(`${request?.method} ${request?.url}`).toBe(line);
    expect(request?.headers.authorization).toBe(`Bearer ${testToken}`);
    expect(request?.headers.accept).toBe("application/json");
    expect(request?.headers["content-type"]).toBe(body === undefined ? undefined : "application/json");
    expect(request?.headers["transfer-encoding"]).toBeUndefined();
    if (request?.method !== "GET") expect(request?.headers["content-length"]).toBe(String(request?.body.length));
    expect(request?.body === "" ? undefined : JSON.parse(request?.body ?? "")).toEqual(body);
  });
});

describe("what callers hand in beyond the contract is not sent", () => {
  it("leaves out fields that the strict peer would refuse", async () => {
    server.script(answer(200, planAnswer));
    const [first] = planRequest.pools;
    const more = { ...planRequest, extra: 1, pools: [{ ...first, pool_id: pool, note: "x" }] };
    await client.plan(group, more as unknown as typeof planRequest);
    expect(JSON.parse(server.arrived[0]?.body ?? "")).toEqual(planRequest);
  });

  it("sends no list request for no resource or no status, which would list everything", async () => {
    server.script(answer(200, { worker_hosts: [hostAnswer] }));
    expect(await client.hosts({ resource_ids: [] })).toEqual({ worker_hosts: [], truncated: false });
    expect(await client.hosts({ statuses: [] })).toEqual({ worker_hosts: [], truncated: false });
    expect(server.arrived).toHaveLength(0);
  });

  it("refuses more than 200 resource ids and ids that are none, before sending", async () => {
    server.script(answer(200, { worker_hosts: [] }));
    const many = Array.from({ length: 201 }, (_, index) => `i-${index}`);
    await expect(client.hosts({ resource_ids: many })).rejects.toThrow(RangeError);
    await expect(client.host("../worker-groups")).rejects.toThrow(RangeError);
    await expect(client.drain(`${host}/lost?`, drain)).rejects.toThrow(RangeError);
    expect(server.arrived).toHaveLength(0);
  });

  it("refuses a body above 16 KiB with the code the peer would give, and does not send it", async () => {
    server.script(answer(200, poolAnswer));
    const call = client.createPool(group, { name: "x".repeat(17_000), expected_group_claim_version: 1 });
    await expect(call).rejects.toMatchObject({ name: "ControlPlaneError", code: "request_too_large", status: 413 });
    expect(server.arrived).toHaveLength(0);
  });

  it("fits 64 pools with the largest numbers into one plan", async () => {
    server.script(answer(200, { ...planAnswer, pools: [] }));
    const [first] = planRequest.pools;
    const most = { ...first, max_additional_workers: 1000, active_workers: 1000, registering_workers: 1000 };
    const pools = Array.from({ length: 64 }, () => ({ ...most, pool_id: pool }));
    await client.plan(group, { ...planRequest, pools });
    expect(JSON.parse(server.arrived[0]?.body ?? "").pools).toHaveLength(64);
  });
});

describe("connections", () => {
  it("are kept between requests, and gone when the client is closed", async () => {
    server.script(answer(200, deploymentAnswer));
    const own = httpControlPlane({ baseUrl: server.url, token: async () => testToken });
    for (let request = 0; request < 3; request += 1) await own.deployment();
    expect(new Set(server.arrived.map(({ port }) => port)).size).toBe(1);
    own.close();
  });
});

describe("a mutation", () => {
  it("has a connection of its own, so that none that died while it was idle leaves its fate open", async () => {
    const own = httpControlPlane({ baseUrl: server.url, token: async () => testToken });
    server.script(answer(200, planAnswer), answer(200, hostAnswer), answer(200, hostAnswer), answer(200, planAnswer));
    await own.plan(group, planRequest);
    await own.lost(host);
    await own.drain(host, drain);
    await own.plan(group, planRequest);
    own.close();
    const [plan, lost, drained, planAgain] = server.arrived;
    expect(new Set([plan?.port, lost?.port, drained?.port]).size).toBe(3);
    expect(planAgain?.port).toBe(plan?.port);
    expect([lost?.headers.connection, plan?.headers.connection]).toEqual(["close", "keep-alive"]);
  });
});

describe("base URLs", () => {
  it.each([
    "http://control.example.com",
    "http://127.0.0.1.example.com",
    "http://[::1]:80",
    "ftp://localhost",
    "https://user:hunter2@control.example.com",
    "https://control.example.com/?a=b",
    "control.example.com",
    "",
  ])("refuses %s without repeating it", (baseUrl) => {
    const make = () => httpControlPlane({ baseUrl, token: async () => testToken });
    expect(make).toThrow(/The Control Plane's URL/);
    expect(make).not.toThrow(/hunter2/);
  });

  it("keeps a path before the protocol's own prefix", async () => {
    server.script(answer(200, deploymentAnswer));
    const below = httpControlPlane({ baseUrl: `${server.url}/helmr/`, token: async () => testToken });
    await below.deployment();
    below.close();
    expect(server.arrived[0]?.url).toBe("/helmr/capacity/v1/deployment");
  });
});
