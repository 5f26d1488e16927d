import { afterEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { httpControlPlane } from "../../lib/helmr/http-control-plane.ts";
import { start, token } from "../contract/helmr/setting.ts";
import { startWorld } from "../world.ts";
import { helmrBeside, helmrGroup } from "./helmr-world.ts";
import { counted, membersOf } from "./notices.ts";
import { layouts, putEarlier, theirInstance } from "./stored-items.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const key = "019a0000-0000-7000-8000-000000000001";

/** Two hosts of which one may leave; Drover has not looked at them yet. */
async function standing() {
  const beside = helmrBeside(2);
  const { helmr } = beside;
  const world = await startWorld({ clock: new ManualClock(start), parameters: { HelmrCadence: "ticks" }, helmr });
  closing.push(world.close);
  for (let second = 0; second < 400; second += 1) world.advance(1_000);
  world.faults.reset();
  const { server, groups } = beside.peer();
  const group = groups.get("default")?.group;
  const [pool] = group?.pools.values() ?? [];
  const controlPlane = httpControlPlane({ baseUrl: server.url, token: async () => token });
  closing.push(async () => controlPlane.close());
  return { ...beside, world, controlPlane, groupId: group?.id ?? "", poolId: pool?.id ?? "" };
}

type Standing = Awaited<ReturnType<typeof standing>>;

/** Helmr has chosen a host under the operation's key. */
async function chosen({ world, controlPlane, groupId, poolId, hosts }: Standing) {
  const receipt = await controlPlane.scaleIn(groupId, poolId, key);
  for (let second = 0; second < 30; second += 1) world.advance(1_000);
  const host = hosts().find(({ id }) => id === receipt.worker_host_id);
  if (host === undefined) throw new Error("Helmr chose no host.");
  expect(host.status).toBe("termination_ready");
  return { instance: host.resourceId, id: host.id, epoch: receipt.epoch ?? 0, claim: receipt.claim_version ?? 0 };
}

const terminated = ({ world }: Standing) => world.faults.count("auto-scaling:TerminateInstanceInAutoScalingGroup");

/** The operation is over: one host fewer, one receipt, completed. */
async function isOver(given: Standing): Promise<void> {
  const { world, controlPlane, groupId, peer } = given;
  expect(world.group(helmrGroup).desired).toBe(1);
  expect(membersOf(world, helmrGroup)).toHaveLength(1);
  expect((await controlPlane.scaleInReceipt(groupId, key)).phase).toBe("completed");
  expect(peer().model.region.receipts.get(groupId)?.size).toBe(1);
  expect(counted(world).filter((each) => each === "Drains removed")).toHaveLength(1);
}

describe.each(layouts)("left in %s:", (layout) => {
  async function put(phase: string, { world, groupId, poolId }: Standing, host?: Awaited<ReturnType<typeof chosen>>) {
    const ofHost = { HOST_ID: host?.id ?? "", [theirInstance]: host?.instance ?? "" };
    const fences = { "1000001": host?.epoch ?? 0, "1000002": host?.claim ?? 0 };
    await putEarlier(world, layout, "helmr-memory");
    await putEarlier(world, layout, `helmr-${phase}`, { GROUP_ID: groupId, POOL_ID: poolId, ...ofHost, ...fences });
  }

  test("a scale-in that was intended and never asked for is asked for under its own key", async () => {
    const given = await standing();
    await put("intended", given);
    await given.minutes(given.world, 13);
    const asked = given.peer().server.faults.calls.filter(({ operation }) => operation === "scaleIn");
    expect(new Set(asked.map(({ body }) => JSON.stringify(body)))).toEqual(new Set([expect.stringContaining(key)]));
    await isOver(given);
    expect(terminated(given)).toBe(1);
  });

  test("a scale-in that Helmr heard of and whose answer was lost goes on with the host that Helmr chose", async () => {
    const given = await standing();
    const { instance } = await chosen(given);
    await put("intended", given);
    await given.minutes(given.world, 5);
    expect(membersOf(given.world, helmrGroup)).not.toContain(instance);
    await isOver(given);
    expect(terminated(given)).toBe(1);
  });

  test("a host that drains is ended under its proof", async () => {
    const given = await standing();
    await put("draining", given, await chosen(given));
    await given.minutes(given.world, 5);
    await isOver(given);
    expect(terminated(given)).toBe(1);
  });

  test("an end that was recorded and never sent is sent once, after the doubt", async () => {
    const given = await standing();
    await put("ending", given, await chosen(given));
    await given.minutes(given.world, 7);
    await isOver(given);
    expect(terminated(given)).toBe(1);
  });

  test("an end that landed is not sent again", async () => {
    const given = await standing();
    const host = await chosen(given);
    await put("ending", given, host);
    end(given, host.instance);
    await given.minutes(given.world, 6);
    await isOver(given);
    expect(terminated(given)).toBe(0);
  });

  test("a host that was ended and reported waits for its receipt, and is over with it", async () => {
    const given = await standing();
    const host = await chosen(given);
    end(given, host.instance);
    for (let second = 0; second < 90; second += 1) given.world.advance(1_000);
    await given.controlPlane.lost(host.id);
    await put("settling", given, host);
    await given.minutes(given.world, 4);
    await isOver(given);
    expect(terminated(given)).toBe(0);
  });
});

const end = ({ world }: Standing, instance: string) =>
  world.cloud.call("auto-scaling", "TerminateInstanceInAutoScalingGroup", {
    InstanceId: instance,
    ShouldDecrementDesiredCapacity: true,
  });
