import { afterEach, describe, expect, test } from "vitest";
import { agent, launchByHand, scaler, startKici } from "../kici/kici-world.ts";
import { startOfTime, startWorld } from "../world.ts";
import { startHosts } from "./hosts-world.ts";
import { ledgerItems } from "./ledger-items.ts";
import { counted } from "./notices.ts";
import { layouts, putEarlier, theirInstance } from "./stored-items.ts";

/**
 * Items exactly as a layout holds them, kept in a file for as long as a release may find them: operations in flight under the previous release
 * resume under this one. Whoever raises the layout (lib/ledger/dynamodb-table.ts) reads these too, and adds their own beside them.
 */
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe.each(layouts)("left in %s:", (layout) => {
  test("a demand that was recorded and not applied is applied by the next run", async () => {
    const world = await startWorld({ fleets: [{ name: "linux", pools: ["pool_123"], slotsPerHost: 4 }] });
    closing.push(world.close);
    await putEarlier(world, layout, "group");
    expect(world.clock.now()).toBe(startOfTime);
    expect((await world.reconcile()).outcome.kind).toBe("answered");
    expect(world.group("linux").desired).toBe(2);
  });

  test.each([
    ["cordoning, the call never sent", "cordoning", false],
    ["cordoning, the call landed", "cordoning", true],
    ["cordoned", "cordoned", true],
    ["seen empty once", "empty", true],
    ["terminating, the call never sent", "terminating", true],
  ])("a Zoomies host that was %s leaves, once", async (_, phase, cordoned) => {
    const { world, members, minutes } = await drained(`drain-${phase}`, cordoned);
    const [instance = ""] = members();
    await minutes(6);
    expect(members()).not.toContain(instance);
    expect(world.group("linux").desired).toBe(1);
    expect(world.faults.count("auto-scaling:TerminateInstanceInAutoScalingGroup")).toBe(1);
    expect(counted(world).filter((each) => each === "Drains removed")).toHaveLength(1);
  });

  test("a Zoomies host whose instance was ended is forgotten, and nothing else is ended for it", async () => {
    const { world, controller, members, minutes } = await drained("drain-terminated", true);
    const [instance = ""] = members();
    world.cloud.call("auto-scaling", "TerminateInstanceInAutoScalingGroup", {
      InstanceId: instance,
      ShouldDecrementDesiredCapacity: true,
    });
    await minutes(8);
    expect(controller.hostNamed(instance)).toBeUndefined();
    expect(members()).toHaveLength(1);
    expect(world.faults.count("auto-scaling:TerminateInstanceInAutoScalingGroup")).toBe(0);
    expect(counted(world).filter((each) => each === "Drains removed")).toHaveLength(1);
  });

  test("a Zoomies host on its way back is given back", async () => {
    const { world, controller, members, minutes } = await drained("drain-uncordoning", true);
    const [instance = ""] = members();
    await minutes(3);
    expect(controller.hostNamed(instance)?.cordoned).toBe(false);
    expect(members()).toContain(instance);
    expect(counted(world).filter((each) => each === "Drains cancelled")).toHaveLength(1);
  });

  /** Two hosts of which one may leave, and a drain of the first as an earlier release left it. */
  async function drained(item: string, cordoned: boolean) {
    const given = await startHosts({ hosts: 2, minSize: 1 }, closing);
    const [instance = ""] = given.members();
    const host = given.controller.hostNamed(instance);
    if (host === undefined) throw new Error("The host has not joined.");
    host.cordoned = cordoned;
    await putEarlier(given.world, layout, item, { [theirInstance]: instance, host_of_the_instance: host.id });
    return given;
  }

  test("an agent that was withdrawn while its instance ran is ended by the reaper", async () => {
    const { world, instance } = await launchedAgent();
    await putEarlier(world, layout, "agent", { [theirInstance]: instance });
    expect((await world.reap()).outcome.kind).toBe("answered");
    expect(world.alive(agent)).toEqual([]);
  });

  test("an agent whose launch was recorded and never sent is launched once, by the event's next delivery", async () => {
    const world = await agentWorld();
    await putEarlier(world, layout, "launch-launching");
    // The earlier release's lease still runs, and then does not.
    expect((await world.up(event(world))).answer.code).toBe("attempt_running");
    world.advance(60_000);
    expect((await world.up(event(world))).answer.status).toBe("launched");
    const [{ input } = { input: {} }] = world.faults.calls.filter(({ operation }) => operation === "RunInstances");
    expect(input).toMatchObject({ ClientToken: /"token":"(\w+)"/.exec(await bodyOf(world))?.[1] });
    expect((await world.up(event(world))).answer.status).toBe("exists");
    expect(world.alive(agent)).toHaveLength(1);
  });

  test.each(["launch-launching", "launch-unsure"])(
    "an agent whose launch landed and was not recorded (%s) is not launched again, whether the event comes or the reaper",
    async (item) => {
      for (const comes of ["event", "reaper"]) {
        const { world, instance } = await launchedAgent();
        world.advance(60_000);
        await putEarlier(world, layout, item);
        const before = world.launches();
        if (comes === "reaper") await world.reap();
        // EC2 has the token of another request: the look by tag finds the instance.
        world.faults.add({ on: "ec2:RunInstances", kind: "error", code: "IdempotentParameterMismatch" });
        expect((await world.up(event(world))).answer).toMatchObject({ status: "exists", instanceId: instance });
        expect(world.launches()).toBe(before);
      }
    },
  );

  test("an agent whose launch failed is launched by the event's next delivery, as another attempt", async () => {
    const world = await agentWorld();
    await putEarlier(world, layout, "launch-failed");
    expect((await world.up(event(world))).answer.status).toBe("launched");
    expect(await bodyOf(world)).toContain('"number":2');
  });

  test("an agent that was launched is still known, and one that is over stays over", async () => {
    const { world, instance } = await launchedAgent();
    await putEarlier(world, layout, "launch-launched", { [theirInstance]: instance });
    expect((await world.up(event(world))).answer).toMatchObject({ status: "exists", instanceId: instance });
    expect((await world.down()).answer.status).toBe("terminating");
    const other = await agentWorld();
    await putEarlier(other, layout, "launch-ended");
    expect((await other.up(event(other))).answer.status).toBe("absent");
    expect(other.launches()).toBe(0);
  });

  test("a place under the cap that was taken stays taken, and the reaper frees one that nobody holds", async () => {
    const world = await startKici({ name: scaler, maxInstances: 1 });
    closing.push(world.close);
    await putEarlier(world, layout, "live");
    await putEarlier(world, layout, "live-index");
    const other = () => world.up({ ...world.scaleUp(), agentId: "scaler-event-99999999" });
    expect((await other()).answer.code).toBe("scaler_at_cap");
    for (let run = 0; run < 5; run += 1) {
      world.advance(5 * 60_000);
      await world.reap();
    }
    expect((await other()).answer.status).toBe("launched");
  });

  async function agentWorld() {
    const world = await startKici();
    closing.push(world.close);
    return world;
  }

  async function launchedAgent() {
    const world = await agentWorld();
    const instance = launchByHand(world, {
      "drover:stack": world.stack,
      "drover:expires-at": new Date(world.clock.now() + 2 * 3_600_000).toISOString(),
      "kici-managed": world.stack,
      "kici-agent-id": agent,
      "kici-scaler": scaler,
    });
    world.advance(60_000);
    return { world, instance };
  }

  /** The event that the recorded attempt stands for. */
  const event = (world: Awaited<ReturnType<typeof agentWorld>>) => world.scaleUp({ claimCode: "c".repeat(64) });
  const bodyOf = async (world: Awaited<ReturnType<typeof agentWorld>>) =>
    (await ledgerItems(world)).find(({ sk }) => sk === `agent#${agent}`)?.body ?? "";
});
