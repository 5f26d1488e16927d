import { expect, test } from "vitest";
import type { CycleReport } from "../../lib/helmr/cycle-report.ts";
import { dryActions } from "../../lib/helmr/dry-actions.ts";
import { dryRun } from "../../lib/helmr/dry-run.ts";
import type { Table } from "../../lib/ledger/table.ts";
import { FleetWorld } from "./fleet-world.ts";

/** What a cycle did at the provider and at Helmr, in the words of a dry run. */
function deedsOf({ ends, raised, drained }: CycleReport, reports: number): string[] {
  const sent = ends.filter(({ result }) => result.outcome !== "unproven").length;
  return [
    ...Array.from({ length: reports }, () => "report host"),
    ...Array.from({ length: sent }, () => "terminate it"),
    ...(raised === undefined ? [] : [`raise desired capacity from ${raised.from} to ${raised.to}`]),
    ...(drained === undefined ? [] : ["ask Helmr"]),
  ];
}

test("what a dry run says is what the next cycle does, from growth to the last host's absence, and it changes nothing", async () => {
  let puts = 0;
  const counting = (table: Table): Table => ({
    get: (keys) => table.get(keys),
    query: (pk, range) => table.query(pk, range),
    put(item, condition) {
      puts += 1;
      return table.put(item, condition);
    },
  });
  const world = await new FleetWorld({ table: counting }).seeded();
  world.submit(10, 120);
  const did = new Map<string, number>();
  for (let round = 0; round < 500; round += 1) {
    await world.pass(5);
    const changes = () => [puts, world.mutations().length, world.hosts().map(({ status }) => status)];
    const before = changes();
    const run = await dryRun({ ...world.parts("dry"), table: world.table }, "default", true);
    expect(changes()).toEqual(before);

    const { would, wouldNot } = dryActions(run);
    const reported = world.helmr.count("lost");
    const report = await world.cycle();
    const deeds = deedsOf(report, world.helmr.count("lost") - reported);
    const acts = would.filter(({ text }) => !text.startsWith("note it down"));
    expect(acts.map(({ text }, index) => text.slice(0, deeds[index]?.length))).toEqual(deeds);
    if (deeds.length === 0) expect(wouldNot).not.toEqual([]);
    for (const deed of deeds) {
      const kind = deed.split(" ")[0] ?? "";
      did.set(kind, (did.get(kind) ?? 0) + 1);
    }
    if ((did.get("report") ?? 0) >= 2 && world.asg().desired === 1) break;
  }
  expect(Object.fromEntries(did)).toMatchObject({ ask: 2, terminate: 2, report: 2 });
  expect(did.get("raise")).toBeGreaterThan(0);
});
