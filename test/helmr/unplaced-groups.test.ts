import { expect, test } from "vitest";
import { FleetWorld } from "./fleet-world.ts";

test("a group that names a pool and no Worker group is told as a finding, and the others are served", async () => {
  const world = new FleetWorld();
  const tags = { "drover:stack": "drover", "drover:helmr-pool": "small" };
  world.cloud.createGroup("asg-small", { minSize: 0, maxSize: 5, newInstancesProtected: true, tags });
  const run = await world.run(20_000);
  expect(run).toMatchObject({ groups: 1, served: 1, failed: 0 });
  const found = world.lines.filter(({ message, fields }) => message === "finding" && fields["fleet"] === "asg-small");
  expect(found).toMatchObject([{ level: "warn", fields: { code: "missing_tag", tag: "drover:helmr-group" } }]);
  expect(world.counts).toContainEqual({ name: "ConfigError", value: 1 });
});
