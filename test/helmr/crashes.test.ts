import { describe, expect, test } from "vitest";
import { FleetWorld } from "./fleet-world.ts";
import { Mortality } from "./mortal.ts";

interface Lived {
  readonly world: FleetWorld;
  readonly mortality: Mortality;
  readonly broken: readonly string[];
}

/** Grows for work, then drains back to one host: every step of the reconciler, with one death at a chosen one of them. */
async function live(at?: number, moment?: "before" | "after"): Promise<Lived> {
  const mortality = new Mortality(at, moment);
  const world = new FleetWorld({
    tags: { "drover:idle-minutes": "1" },
    settings: { cooldownMs: 30_000, leaseMs: 20_000 },
    table: (table) => mortality.table(table),
  });
  const broken: string[] = [];
  world.cloud.on((event) => {
    if (event.type === "desired-capacity" && event.operation === "SetDesiredCapacity" && event.to < event.from) {
      broken.push(`desired capacity lowered to ${event.to}`);
    }
    if (event.type === "desired-capacity" && event.to > 3) broken.push(`desired capacity ${event.to}`);
    if (event.type !== "instance-state" || event.to !== "shutting-down") return;
    const host = world.group.rows.get(event.instanceId)?.at(-1);
    if (host?.status !== "termination_ready") broken.push(`${event.instanceId} ended as ${host?.status}`);
  });
  const cycles = async (seconds: number, until: () => boolean = () => false) => {
    for (let passed = 0; passed < seconds && !until(); passed += 10) {
      await world.pass(10);
      await world.cycle(mortality.parts(world.parts())).catch((error: unknown) => world.failures.push(error));
      mortality.revive();
      const unsettled = world.model.unsettledOperations(world.group.id);
      if (unsettled.length > 1) broken.push(`${unsettled.length} operations at once`);
    }
  };
  await cycles(60);
  world.submit(6, 30);
  await cycles(120, () => world.hostsIn("active").length === 2);
  await cycles(900, () => world.asg().desired === 1 && world.asg().ids.length === 1);
  await cycles(200, () => world.model.unsettledOperations(world.group.id).length === 0);
  await cycles(30);
  return { world, mortality, broken };
}

const lowered = (world: FleetWorld) => world.mutations().filter((name) => name.startsWith("Terminate"));

describe("an invocation that dies at any step leaves nothing that the next one does not mend", async () => {
  const whole = await live();
  const { steps } = whole.mortality;

  test("undisturbed, it grows once and shrinks once", () => {
    expect(whole.broken).toEqual([]);
    expect(whole.world.mutations()).toEqual(["SetDesiredCapacity", "TerminateInstanceInAutoScalingGroup"]);
    expect(new Set(steps)).toEqual(
      new Set([
        "put lease",
        "put helmr-group",
        "put operation",
        "put trail",
        "put trail-fleets",
        "raise",
        "scaleIn",
        "terminate",
        "lost",
      ]),
    );
  });

  // The first deaths of each kind, and every one around what changes the world.
  const seen = new Map<string, number>();
  const chosen = steps.flatMap((step, index) => {
    const times = (seen.get(step) ?? 0) + 1;
    seen.set(step, times);
    const isNear = steps.slice(Math.max(0, index - 5), index + 6).some((other) => !other.startsWith("put "));
    return isNear || times <= 2 ? [[index + 1, step] as const] : [];
  });

  test.each(["before", "after"] as const)("%s the step", { timeout: 120_000 }, async (moment) => {
    for (const [at, step] of chosen) {
      const { world, broken } = await live(at, moment);
      const where = `death ${moment} step ${at} (${step})`;
      expect(broken, where).toEqual([]);
      expect(world.asg(), where).toMatchObject({ desired: 1, states: ["InService"] });
      expect(world.hostsIn("active"), where).toHaveLength(1);
      expect(world.model.unsettledOperations(world.group.id), where).toEqual([]);
      expect(lowered(world).length, where).toBeLessThanOrEqual(2);
    }
  });
});
