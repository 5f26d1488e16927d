import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlaneServer, startControlPlane } from "../../../infra/local/helmr/server.ts";
import { envelope, rawRequest } from "./raw-request.ts";
import { activeHost, observation, operationKey, overHttp, setting, token } from "./setting.ts";

const world = setting();
const host = activeHost(world, "i-0000000000000000a");
const base = "/capacity/v1";
const ofGroup = `${base}/worker-groups/${world.group.id}`;
const ofPool = `${ofGroup}/pools/${world.pool.id}`;
const ofHost = `${base}/worker-hosts/${host.id}`;
let server: ControlPlaneServer;

beforeAll(async () => {
  server = await startControlPlane({ model: world.model });
});
afterAll(() => server.close());

const ask = (path: string, options = {}) => rawRequest(server.url, path, options);

describe("the credential (contract: Configure authentication; notes 1)", () => {
  test.each([
    ["no Authorization header", null],
    ["another scheme", `Basic ${token}`],
    ["another token", `Bearer ${"B".repeat(43)}`],
    ["the bare token", token],
  ])("%s is refused with 401 and a challenge", async (_case, authorization) => {
    const answer = await ask(`${base}/deployment`, { authorization });
    expect(answer).toMatchObject({ status: 401, body: envelope("unauthorized") });
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
  });

  test("the update stream asks for it as well", async () => {
    expect(await ask(`${base}/updates`, { authorization: null })).toMatchObject({ status: 401 });
  });

  test("a Control Plane without a token rejects every capacity request", async () => {
    const unset = setting();
    unset.model.credential.rotate(undefined);
    const other = await startControlPlane({ model: unset.model });
    const answers = await Promise.all(
      ["/deployment", "/worker-hosts", "/updates"].map((path) => rawRequest(other.url, `${base}${path}`)),
    );
    await other.close();
    expect(answers.map((each) => each.status)).toEqual([401, 401, 401]);
  });

  test("after a rotation only the new token is accepted", async () => {
    const rotated = setting();
    const other = await startControlPlane({ model: rotated.model });
    const next = "C".repeat(43);
    rotated.model.credential.rotate(next);
    const old = await rawRequest(other.url, `${base}/deployment`);
    const fresh = await rawRequest(other.url, `${base}/deployment`, { authorization: `Bearer ${next}` });
    await other.close();
    expect([old.status, fresh.status]).toEqual([401, 200]);
  });
});

describe("request bodies (contract: Errors and retries; notes 1)", () => {
  const drain = { expected_epoch: 1, expected_claim_version: 1, reason: "replacement" };
  test.each([
    ["an unknown field", { ...drain, require_zero_queued_demand: true }],
    ["a second JSON value", `${JSON.stringify(drain)}{}`],
    ["no JSON", "reason=replacement"],
    ["no body", undefined],
    ["a list", [drain]],
    ["a missing field", { expected_epoch: 1, reason: "replacement" }],
    ["a zero epoch", { ...drain, expected_epoch: 0 }],
    ["a zero claim version", { ...drain, expected_claim_version: 0 }],
    ["a fraction", { ...drain, expected_epoch: 1.5 }],
    ["an unknown reason", { ...drain, reason: "shutdown" }],
  ])("%s is a 400 and drains nothing", async (_case, body) => {
    const answer = await ask(`${ofHost}/drain`, { method: "POST", body });
    expect(answer).toMatchObject({ status: 400, body: envelope("bad_request") });
    expect(host.status).toBe("active");
  });

  test("a body of more than 16 KiB is a 413, one of exactly that is read", async () => {
    const padded = (size: number) => JSON.stringify({ operation_key: "x" }).padEnd(size, " ");
    const path = `${ofPool}/scale-in`;
    const larger = await ask(path, { method: "POST", body: padded(16 * 1024 + 1) });
    const largest = await ask(path, { method: "POST", body: padded(16 * 1024) });
    expect(larger).toMatchObject({ status: 413, body: envelope("request_too_large") });
    expect(largest).toMatchObject({ status: 400 });
  });

  test("/lost takes no body at all: {} is a 400 (notes 1, row 15)", async () => {
    const answer = await ask(`${ofHost}/lost`, { method: "POST", body: {} });
    expect(answer).toMatchObject({ status: 400 });
    expect(host.status).toBe("active");
  });
});

describe("paths, methods and queries (notes 1)", () => {
  test.each([
    ["DELETE", `/worker-hosts/${host.id}`, "GET"],
    ["GET", `/worker-hosts/${host.id}/drain`, "POST"],
    ["POST", `/worker-groups/${world.group.id}/pools/${world.pool.id}/resource-policy`, "GET, PUT"],
    ["POST", "/updates", "GET"],
  ])("%s %s is a 405 that says what is allowed", async (method, path, allow) => {
    const answer = await ask(`${base}${path}`, { method });
    expect(answer).toMatchObject({ status: 405, body: envelope("method_not_allowed") });
    expect(answer.headers["allow"]).toBe(allow);
  });

  test.each([
    "/worker-groups",
    "/worker-instances",
    `/worker-groups/${world.group.id}/pools`.replace("worker-groups", "groups"),
  ])("%s does not exist", async (path) => {
    expect(await ask(`${base}${path}`)).toMatchObject({ status: 404, body: envelope("not_found") });
  });

  test("there is no list of pools", async () => {
    expect(await ask(`${ofGroup}/pools`)).toMatchObject({ status: 405 });
  });

  test.each([
    ["an unknown parameter", "/worker-hosts?cursor=1"],
    ["a repeated single parameter", "/worker-hosts?limit=1&limit=2"],
    ["a repeated name", "/worker-groups/resolve?region_id=r&name=a&name=b"],
    ["a missing name", "/worker-groups/resolve?region_id=aws-us-east-1"],
    ["a blank name", "/worker-groups/resolve?region_id=aws-us-east-1&name=%20default"],
    ["a limit of 0", "/worker-hosts?limit=0"],
    ["a limit of 501", "/worker-hosts?limit=501"],
    ["an unknown status", "/worker-hosts?status=running"],
    ["has_unreclaimed_instance=false", "/worker-hosts?has_unreclaimed_instance=false"],
    ["a resource id twice", "/worker-hosts?resource_id=i-1&resource_id=i-1"],
    ["a resource id of 513 bytes", `/worker-hosts?resource_id=${"i".repeat(513)}`],
    ["an upper-case group id", `/worker-hosts?worker_group_id=${world.group.id.toUpperCase()}`],
    ["a parameter where none is taken", "/deployment?verbose=1"],
    ["an upper-case host id", `/worker-hosts/${host.id.toUpperCase()}`],
    ["a UUIDv4", "/worker-hosts/2f1b6b0e-8a1f-4c0e-9a55-1f2e3d4c5b6a"],
  ])("%s is a 400", async (_case, path) => {
    expect(await ask(`${base}${path}`)).toMatchObject({ status: 400, body: envelope("bad_request") });
  });

  test("an id that nobody has is a 404", async () => {
    expect(await ask(`${base}/worker-hosts/${operationKey(404)}`)).toMatchObject({ status: 404 });
    expect(await ask(`${ofGroup}/scale-in-operations/${operationKey(404)}`)).toMatchObject({ status: 404 });
    expect(await ask(`${base}/worker-groups/resolve?region_id=elsewhere&name=default`)).toMatchObject({ status: 404 });
  });
});

describe("answers", () => {
  test("the deployment is never cached, and says what the contract lists", async () => {
    const answer = await ask(`${base}/deployment`);
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(answer.body).toMatchObject({ applied_schema_version: 1, schema_dirty: false });
  });

  test("a pool is created with 201, pending and unsealed (contract, last section; notes row 16)", async () => {
    const other = setting();
    const standIn = await startControlPlane({ model: other.model });
    const answer = await rawRequest(standIn.url, `${base}/worker-groups/${other.group.id}/pools`, {
      method: "POST",
      body: { name: "large", expected_group_claim_version: 1 },
    });
    await standIn.close();
    expect(answer).toMatchObject({ status: 201, body: { name: "large", status: "pending", claim_version: 1 } });
    expect(answer.body).not.toHaveProperty("sealed_at");
  });

  test("no receipt is outstanding: operation is null, not absent (contract: Retry scale-in safely)", async () => {
    expect((await ask(`${ofGroup}/scale-in-operations/pending`)).body).toEqual({ operation: null });
  });

  test("a plan carries the fields that the contract adds, under the pool", async () => {
    const connection = await overHttp(world.model);
    const body = await observation(world, connection.port);
    await connection.close();
    const answer = await ask(`${ofGroup}/plan`, { method: "POST", body });
    expect(answer.body).toMatchObject({
      unmatched_demand: [],
      pools: [
        {
          policy_revision: 1,
          placements: { immediate: 4, after_optional_reclaim: 4 },
          optional_occupancy: { vm_slots: 0 },
          reclaiming_workers: 0,
          local_headroom_slots_in_use: 0,
          credited_hosts: [{ worker_host_id: host.id, epoch: 1 }],
        },
      ],
    });
  });
});
