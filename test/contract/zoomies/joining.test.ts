import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { AgentReport } from "../../../infra/local/zoomies/join-tokens.ts";
import { says } from "./notes.ts";
import { type ContractWorld, contractWorld, errorCode, minute, ways } from "./ways.ts";

const agent = (name: string, more: Partial<AgentReport> = {}): AgentReport => ({
  name,
  capacity: 8,
  labels: { own: "label" },
  backend: "docker",
  os: "linux",
  arch: "arm64",
  ...more,
});

describe.each(ways)("joining Zoomies, its API %s", (way) => {
  let world: ContractWorld;
  beforeEach(async () => {
    world = await contractWorld(way);
  });
  afterEach(() => world.close());

  const mint = (more = {}) => world.joins.mint({ ttl: "5m", capacity: 3, labels: { zone: "a" }, ...more });

  test(says("a new token says its text once, and has the defaults where nothing is asked", "mint"), async () => {
    const { body } = await world.call("POST", "/join-tokens", {}, "joins");
    expect(body).toMatchObject({
      token: expect.stringMatching(/^zoojoin_/),
      capacity: 2,
      usable: true,
      used_at: null,
      expires_at: "2026-09-05T12:15:00Z",
    });
    const { id } = body as { id: string };
    expect((await world.call("GET", `/join-tokens/${id}`, undefined, "joins")).body).not.toHaveProperty("token");
    expect((await world.call("GET", "/join-tokens", undefined, "joins")).body).toMatchObject({ total: 1 });
  });

  test.each([{ ttl: "0s" }, { ttl: "soon" }, { ttl: 5 }, { capacity: -1 }, { capacity: 1.5 }, { labels: { a: 1 } }])(
    says("a token that cannot be is refused: %o", "errors"),
    async (body) => {
      expect(errorCode(await world.call("POST", "/join-tokens", body, "joins"))).toBe("unprocessable");
    },
  );

  test(says("a token makes one host, which it names, and no second one", "singleUse"), async () => {
    const { id, token } = await mint();
    const joined = world.controller.redeem(token, agent("i-1"));
    const hostId = "host" in joined ? joined.host.id : "";
    expect(await world.joins.joinToken(id)).toMatchObject({ usable: false, used_by_id: hostId });
    expect(world.controller.redeem(token, agent("i-2"))).toEqual({ refused: "token used" });
    expect(await world.hosts.host(hostId)).toMatchObject({ name: "i-1", healthy: true });
  });

  test(says("a token is dead when its time is over, and when it was revoked", "singleUse"), async () => {
    const late = await mint();
    world.clock.advance(5 * minute);
    expect(world.controller.redeem(late.token, agent("i-1"))).toEqual({ refused: "token expired" });
    const revoked = await mint();
    expect(await world.joins.revoke(revoked.id)).toBe("revoked");
    expect(await world.joins.revoke(revoked.id)).toBe("absent");
    expect(await world.joins.joinToken(revoked.id)).toBeUndefined();
    expect(world.controller.redeem(revoked.token, agent("i-1"))).toEqual({ refused: "unknown token" });
  });

  test(says("the token's capacity and labels win; without them the agent's own count", "overrides"), async () => {
    world.controller.redeem((await mint()).token, agent("i-1"));
    world.controller.redeem((await mint({ capacity: 0, labels: {} })).token, agent("i-2"));
    expect(await world.hosts.hosts()).toMatchObject([
      { name: "i-1", capacity: 3, labels: { zone: "a" }, arch: "arm64" },
      { name: "i-2", capacity: 8, labels: { own: "label" } },
    ]);
  });

  test(says("a name that a host has is refused, and the token stays good", "names"), async () => {
    world.controller.redeem((await mint()).token, agent("i-1"));
    const { id, token } = await mint();
    expect(world.controller.redeem(token, agent("i-1"))).toEqual({ refused: "name taken" });
    expect(await world.joins.joinToken(id)).toMatchObject({ usable: true });
    const [host] = await world.hosts.hosts();
    expect(await world.hosts.deleteHost(host?.id ?? "")).toBe("deleted");
    expect(world.controller.redeem(token, agent("i-1"))).toHaveProperty("host");
  });

  test(says("an incompatible host is told as such and gets no runner", "incompatible"), async () => {
    world.controller.addPool({ id: "pool_a" });
    world.controller.redeem((await mint()).token, agent("i-1", { incompatible: true }));
    world.controller.queueJobs("pool_a", 1, minute);
    world.controller.pass();
    expect(await world.hosts.hosts()).toMatchObject([{ incompatible: true, active_runners: 0, healthy: true }]);
  });
});
