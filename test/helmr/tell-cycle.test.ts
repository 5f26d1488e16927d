import { expect, test } from "vitest";
import { FleetWorld } from "./fleet-world.ts";

test("a raise that is refused again and again is counted each time and told once", async () => {
  const world = await new FleetWorld().seeded();
  world.counts.length = 0;
  world.awsFault({ on: "auto-scaling:SetDesiredCapacity", kind: "error", code: "AccessDenied", httpStatus: 403 });
  world.submit(20, 3_600);
  await world.pass(300, 15);
  expect(world.counts.filter(({ name }) => name === "ConfigError").length).toBeGreaterThan(5);
  const told = await world.parts().trail.since("asg-general", 0, 1_000);
  expect(told.filter(({ outcome }) => outcome === "refused: AccessDenied")).toHaveLength(1);
});
