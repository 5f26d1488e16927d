import { expect, test } from "vitest";
import { observingHelmr } from "../../lib/helmr/helmr-parts.ts";
import type { HelmrParts } from "../../lib/helmr/parts.ts";
import type { TrailEntry } from "../../lib/ledger/trail.ts";
import { FleetWorld } from "../helmr/fleet-world.ts";
import { comparable } from "./first-decisions.ts";
import { helmrReads } from "./helmr-reads.ts";

type Way = (parts: HelmrParts) => HelmrParts;
const acting: Way = (parts) => parts;
const observing =
  (plans: boolean): Way =>
  (parts) =>
    observingHelmr(parts, { plans });

/** A Worker group with so many hosts, all of them there before Drover looks for the first time. */
async function standing(hosts: number): Promise<FleetWorld> {
  const world = new FleetWorld();
  await world.pass(90);
  world.cloud.setDesired("asg-general", hosts);
  await world.pass(90);
  return world;
}

async function cycles(world: FleetWorld, way: Way, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 15) {
    await world.pass(15);
    await world.cycle(way(world.parts()));
  }
}

async function trail(world: FleetWorld): Promise<TrailEntry[]> {
  const { trail: ledger } = world.parts();
  return (await Promise.all(["asg-general", "default"].map((fleet) => ledger.since(fleet, 0, 1_000)))).flat();
}

const upTo = (entries: readonly TrailEntry[], decided: RegExp): TrailEntry[] =>
  entries.slice(0, entries.findIndex((entry) => decided.test(entry.decided)) + 1);

const published = (world: FleetWorld) =>
  [...new Set(world.helmr.calls.map(({ operation }) => operation))].filter((operation) => !helmrReads.has(operation));

test("growth: nothing is raised, and the trail is acting's own up to its first raise", async () => {
  const told: TrailEntry[][] = [];
  for (const way of [acting, observing(true)]) {
    const world = await standing(1);
    world.aws.reset();
    world.submit(20, 600);
    await cycles(world, way, 120);
    told.push(upTo(await trail(world), /^raise /));
    const isActing = way === acting;
    expect(world.mutations().length > 0).toBe(isActing);
    if (!isActing) {
      expect(world.asg().desired).toBe(1);
      expect(published(world)).toEqual(["plan"]);
    }
  }
  const [acted = [], observed = []] = told;
  expect(observed.at(-1)).toMatchObject({ outcome: "observed" });
  expect(acted.at(-1)).toMatchObject({ outcome: "accepted" });
  expect(comparable(observed)).toEqual(comparable(acted));
});

test("an idle host: no drain is asked for, the ledger begins none, and it is said once", async () => {
  const told: TrailEntry[][] = [];
  for (const way of [acting, observing(true)]) {
    const world = await standing(2);
    world.aws.reset();
    await cycles(world, way, 900);
    const entries = (await trail(world)).filter(({ fleet }) => fleet === "default");
    told.push(upTo(entries, /^drain in /));
    if (way === acting) continue;
    expect(world.mutations()).toEqual([]);
    expect(published(world)).toEqual(["plan"]);
    expect(entries.filter(({ decided }) => decided.startsWith("drain in "))).toHaveLength(1);
    expect(await world.parts().operations.list("helmr#default")).toEqual([]);
  }
  const [acted = [], observed = []] = told;
  expect(observed.at(-1)).toMatchObject({ outcome: "observed" });
  expect(acted.at(-1)).toMatchObject({ outcome: "draining" });
  expect(comparable(observed)).toEqual(comparable(acted));
});

test("a host that others drained is not ended, however often it is looked at", async () => {
  const world = await standing(2);
  const [host] = world.hostsIn("active");
  const fence = { expected_epoch: host?.epoch ?? 0, expected_claim_version: host?.claimVersion ?? 0 };
  await world.parts().controlPlane.drain(host?.id ?? "", { ...fence, reason: "capacity_reduction" });
  world.helmr.reset();
  world.aws.reset();
  await cycles(world, observing(true), 300);
  expect(world.mutations()).toEqual([]);
  expect(world.asg().desired).toBe(2);
  const ends = (await trail(world)).filter(({ decided }) => decided.startsWith("end the drained host"));
  expect(ends.map(({ outcome }) => outcome)).toEqual(["observed"]);
  // Acting takes it from there.
  await cycles(world, acting, 60);
  expect(world.asg().desired).toBe(1);
});

test("without the parameter no plan is made, and the trail says so", async () => {
  const world = await standing(1);
  world.aws.reset();
  world.submit(20, 600);
  await cycles(world, observing(false), 60);
  expect(world.mutations()).toEqual([]);
  expect(published(world)).toEqual([]);
  const entries = await trail(world);
  expect(entries.map(({ decided }) => decided)).toEqual([
    "keep desired capacity 1: no plan",
    expect.stringMatching(/^no drain: .*ObserveHelmrPlans does not allow plans/),
  ]);
});
