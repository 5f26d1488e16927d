import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { says } from "./notes.ts";
import { type ContractWorld, contractWorld, errorCode, minute, ways } from "./ways.ts";

describe.each(ways)("Zoomies' API %s", (way) => {
  let world: ContractWorld;
  beforeEach(async () => {
    world = await contractWorld(way);
    world.controller.addPool({ id: "pool_a", selector: { zone: "a" } });
  });
  afterEach(() => world.close());

  const host = (name: string, more = {}) =>
    world.controller.joinHost({ name, capacity: 2, labels: { zone: "a" }, ...more });
  /** Runs one job on the host that is there. */
  const busy = () => {
    world.controller.queueJobs("pool_a", 1, 10 * minute);
    world.controller.pass();
  };

  test(says("hosts are told with their capacity, runners, labels, cordon and health", "health"), async () => {
    const { id } = host("i-1");
    busy();
    expect(await world.hosts.hosts()).toMatchObject([
      { id, name: "i-1", capacity: 2, active_runners: 1, labels: { zone: "a" }, cordoned: false, healthy: true },
    ]);
    world.controller.silence("i-1");
    world.clock.advance(89_999);
    expect(await world.hosts.host(id)).toMatchObject({ healthy: true, os: "linux", arch: "amd64", embedded: false });
    world.clock.advance(1);
    expect(await world.hosts.host(id)).toMatchObject({ healthy: false });
    world.controller.speak("i-1");
    expect(await world.hosts.host(id)).toMatchObject({ healthy: true });
  });

  test(says("a host that is silent too long loses its runners and jobs, and keeps its row", "loss"), async () => {
    const { id } = host("i-1");
    busy();
    world.controller.silence("i-1");
    world.clock.advance(5 * minute - 1);
    expect((await world.hosts.runners(id)).length).toBe(1);
    world.clock.advance(1);
    expect(await world.hosts.runners(id)).toEqual([]);
    expect(await world.hosts.host(id)).toMatchObject({ active_runners: 0 });
    expect(await world.call("GET", "/runners?include_removed=true")).toMatchObject({
      body: { items: [{ state: "failed" }] },
    });
    expect((await world.call("GET", "/pools")).body).toMatchObject({ items: [{ queued_jobs: 0 }] });
  });

  test(
    says("a cordon holds, can be set twice, ends no job, and is taken away by the same call", "cordon"),
    async () => {
      const { id } = host("i-1");
      busy();
      expect(await world.hosts.cordon(id, true)).toMatchObject({ id, cordoned: true, active_runners: 1 });
      expect(await world.hosts.cordon(id, true)).toMatchObject({ cordoned: true });
      expect(await world.hosts.runners(id)).toMatchObject([{ state: "busy" }]);
      expect(await world.hosts.cordon(id, false)).toMatchObject({ cordoned: false });
      expect(await world.hosts.cordon("host_none", true)).toBeUndefined();
    },
  );

  test(says("a drained idle runner goes, a busy one is refused and works on", "drain"), async () => {
    const { id } = host("i-1");
    world.controller.addPool({ id: "pool_a", minRunners: 1 });
    world.controller.pass();
    const [idle] = await world.hosts.runners(id);
    expect(idle).toMatchObject({ state: "idle", pool_id: "pool_a" });
    expect(await world.hosts.drain(idle?.id ?? "")).toBe("accepted");
    expect(await world.hosts.runners(id)).toMatchObject([{ state: "draining" }]);
    expect(await world.hosts.host(id)).toMatchObject({ active_runners: 1 });
    world.clock.advance(2_000);
    expect(await world.hosts.runners(id)).toEqual([]);
    expect(await world.hosts.drain(idle?.id ?? "")).toBe("absent");

    busy();
    const [working] = await world.hosts.runners(id);
    expect(await world.hosts.drain(working?.id ?? "")).toBe("refused");
    expect(await world.hosts.runners(id)).toMatchObject([{ state: "busy" }]);
  });

  test(says("a confirmed drain ends a busy runner's job after five minutes", "drain"), async () => {
    host("i-1");
    busy();
    const [working] = await world.hosts.runners();
    expect((await world.call("POST", `/runners/${working?.id}/drain?confirm=true`)).status).toBe(202);
    world.clock.advance(5 * minute);
    expect(await world.hosts.runners()).toEqual([]);
    expect(world.controller.fleet.jobs.size).toBe(0);
  });

  test(says("a host's row goes only when no live runner is on it, unless forced", "deleteHost"), async () => {
    const { id } = host("i-1");
    busy();
    expect(await world.hosts.deleteHost(id)).toBe("refused");
    world.controller.endMachine("i-1");
    expect(await world.hosts.deleteHost(id)).toBe("refused");
    world.clock.advance(5 * minute);
    expect(await world.hosts.deleteHost(id)).toBe("deleted");
    expect(await world.hosts.deleteHost(id)).toBe("absent");
    expect(await world.hosts.host(id)).toBeUndefined();
    const other = host("i-2");
    busy();
    expect((await world.call("DELETE", `/hosts/${other.id}?force=true`)).status).toBe(204);
  });

  test(says("hosts and pools come whole, runners and jobs in pages", "paging"), async () => {
    world.controller.addPool({ id: "pool_a", selector: { zone: "a" }, maxRunners: 700 });
    host("i-1", { capacity: 700 });
    world.controller.queueJobs("pool_a", 620, minute);
    for (let pass = 0; pass < 62; pass += 1) world.controller.pass();
    expect((await world.call("GET", "/runners")).body).toMatchObject({ total: 620, limit: 50, offset: 0 });
    const page = (await world.call("GET", "/runners?limit=9999&offset=600")).body as {
      items: unknown[];
      limit: number;
    };
    expect([page.items.length, page.limit]).toEqual([20, 500]);
    expect((await world.hosts.runners()).length).toBe(620);
    expect((await world.call("GET", "/runners?state=idle&state=busy")).body).toMatchObject({ total: 620 });
    expect((await world.call("GET", "/runners?host_id=other")).body).toMatchObject({ total: 0 });
    expect((await world.call("GET", "/hosts")).body).not.toHaveProperty("total");
    expect(errorCode(await world.call("GET", "/runners?limit=all"))).toBe("unprocessable");
  });

  test(says("a pool shows its runners by state, what waits, its bounds and selector", "capacityDemand"), async () => {
    host("i-1");
    world.controller.queueJobs("pool_a", 3, minute);
    world.controller.pass();
    const counts = { provisioning: 0, registering: 0, idle: 0, busy: 2, draining: 0 };
    expect(await world.hosts.pools()).toMatchObject([
      {
        id: "pool_a",
        enabled: true,
        counts,
        queued_jobs: 1,
        min_runners: 0,
        max_runners: 100,
        host_selector: { zone: "a" },
      },
    ]);
    expect((await world.call("GET", "/pools/pool_a")).status).toBe(200);
  });

  test(says("who has no token, an unknown one, a lower role or another scope is turned away", "access"), async () => {
    const { id } = host("i-1");
    const status = async (...call: Parameters<ContractWorld["call"]>) => (await world.call(...call)).status;
    expect(errorCode(await world.call("GET", "/hosts", undefined, "nobody"))).toBe("unauthorized");
    expect(await status("GET", "/hosts", undefined, "looks")).toBe(200);
    expect(errorCode(await world.call("POST", `/hosts/${id}/cordon`, { cordoned: true }, "looks"))).toBe("forbidden");
    // The scope would allow it, the role does not; and the other way round.
    expect(await status("POST", "/join-tokens", {}, "looks")).toBe(403);
    expect(await status("DELETE", `/hosts/${id}`, undefined, "boss")).toBe(403);
    // A scope on a resource implies reading it, and no other resource.
    expect(await status("GET", "/runners", undefined, "hosts")).toBe(200);
    expect(await status("GET", "/hosts", undefined, "joins")).toBe(403);
    expect(await status("POST", "/join-tokens", {}, "hosts")).toBe(403);
    expect(await status("POST", "/join-tokens", {}, "joins")).toBe(201);
  });

  test(says("every error has the envelope, and what is not there is not_found", "errors"), async () => {
    const absent = await world.call("GET", "/hosts/host_none");
    expect(absent).toEqual({
      status: 404,
      body: { error: { code: "not_found", message: expect.any(String), field: "", detail: "" } },
    });
    expect(errorCode(await world.call("GET", "/nothing"))).toBe("not_found");
    const { id } = host("i-1");
    const odd = await world.call("POST", `/hosts/${id}/cordon`, { cordoned: "yes" });
    expect(odd).toMatchObject({ status: 422, body: { error: { code: "unprocessable", field: "cordoned" } } });
  });
});
