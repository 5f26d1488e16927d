import { afterEach, describe, expect, test } from "vitest";
import { launchHook } from "../../infra/local/launch-hook.ts";
import { askToJoin, type HostsWorld, startHosts } from "./hosts-world.ts";
import { layouts, putEarlier, theirInstance } from "./stored-items.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** An instance in its launch hook, and a token that was minted for it. */
async function waiting(): Promise<HostsWorld & { instance: string; token: string }> {
  const joining = { name: "joining", pools: ["pool_joining"], slotsPerHost: 4, group: { hooks: [launchHook] } };
  const given = await startHosts({ hosts: 1, fleets: [joining] }, closing);
  const { world, controller } = given;
  controller.addPool({ id: "pool_joining" });
  world.cloud.setDesired("joining", 1);
  world.advance(60_000);
  const [{ InstanceId: instance = "" } = {}] = world.cloud.group("joining")?.Instances ?? [];
  const minted = controller.api.answer({
    method: "POST",
    path: "/join-tokens",
    query: new URLSearchParams(),
    headers: { authorization: "Bearer joins-token", "content-type": "application/json" },
    body: { ttl: "5m", capacity: 4, labels: {} },
  });
  const { id } = minted.body as { id: string };
  expect(controller.fleet.joinTokens.has(id)).toBe(true);
  return { ...given, instance, token: id };
}

describe.each(layouts)("left in %s:", (layout) => {
  test.each(["join-minting", "join-delivered"])(
    "an instance's next ask (%s) revokes the token it may have got before, and gets the only one that counts",
    async (item) => {
      const { world, controller, instance, token } = await waiting();
      await putEarlier(world, layout, item, { [theirInstance]: instance, TOKEN_ID: token });
      world.advance(30_000);
      const { status, answer } = await askToJoin(world, instance);
      expect(status).toBe(200);
      expect(controller.fleet.joinTokens.has(token)).toBe(false);
      expect(controller.fleet.joinTokens.size).toBe(1);
      expect(
        controller.redeem(answer.token ?? "", { name: instance, capacity: 4, backend: "docker" } as never),
      ).not.toHaveProperty("refused");
    },
  );

  test("an ask of the earlier release that still goes on is waited for", async () => {
    const { world, controller, instance, token } = await waiting();
    const until = world.clock.now() + 15_000;
    const names = { [theirInstance]: instance, TOKEN_ID: token, "1788609675000": until };
    await putEarlier(world, layout, "join-minting", names);
    expect((await askToJoin(world, instance)).status).toBe(425);
    expect([...controller.fleet.joinTokens.keys()]).toEqual([token]);
  });
});
