import { afterEach, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import type { TrailEntry } from "../../lib/ledger/trail.ts";
import { start } from "../contract/helmr/setting.ts";
import { helmrBeside, helmrGroup } from "../functions/helmr-world.ts";
import { ledgerItems } from "../functions/ledger-items.ts";
import { answered, membersOf, on } from "../functions/notices.ts";
import { startWorld } from "../world.ts";
import { comparable, trailOf } from "./first-decisions.ts";
import { helmrReads } from "./helmr-reads.ts";

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Story {
  readonly trails: ReadonlyMap<string, TrailEntry[]>;
  /** Calls that would change something in AWS. */
  readonly aws: readonly string[];
  /** What the Control Plane was asked for that publishes or changes something. */
  readonly helmr: readonly string[];
  readonly ledger: readonly string[];
}

/** Two idle hosts of which one could go, then a burst of work, then EC2's notice of a host; the real functions throughout. */
async function story(parameters: Record<string, string>): Promise<Story> {
  const beside = helmrBeside(2);
  const world = await startWorld({
    clock: new ManualClock(start),
    parameters: { ...on, HelmrCadence: "ticks", ...parameters },
    helmr: beside.helmr,
  });
  closing.push(world.close);
  for (let second = 0; second < 90; second += 1) world.advance(1_000);
  await answered(world);
  world.faults.reset();
  const { faults } = beside.peer().server;
  faults.reset();
  await beside.minutes(world, 6);
  const work = beside.peer().groups.get("default")?.workload;
  for (let each = 0; each < 20; each += 1) work?.submit({ durationMs: 3_600_000 });
  await beside.minutes(world, 2);
  world.cloud.interruptSpot(membersOf(world, helmrGroup)[0] ?? "", 3_600);
  await answered(world);
  const trails = new Map<string, TrailEntry[]>();
  for (const name of [helmrGroup, "default"]) trails.set(name, await trailOf(world, name));
  const aws = world.faults.mutations().filter(({ service }) => service !== "dynamodb");
  return {
    trails,
    aws: [...new Set(aws.map(({ operation }) => operation))],
    helmr: [...new Set(faults.calls.map(({ operation }) => operation))].filter(
      (operation) => !helmrReads.has(operation),
    ),
    ledger: (await ledgerItems(world)).map(({ pk }) => pk),
  };
}

const upTo = (entries: readonly TrailEntry[] = [], decided: RegExp): TrailEntry[] =>
  entries.slice(0, entries.findIndex((entry) => decided.test(entry.decided)) + 1);
const outcomes = ({ trails }: Story, fleet: string) =>
  (trails.get(fleet) ?? []).map(({ decided, outcome }) => `${decided.replace(/:.*/, "")}: ${outcome}`);

test("Helmr with plans allowed: nothing but plans is sent, and the trail is acting's own up to its first drain", async () => {
  const acted = await story({});
  const observed = await story({ Mode: "observe", ObserveHelmrPlans: "true" });
  expect(acted.aws.toSorted()).toEqual(["SetDesiredCapacity", "TerminateInstanceInAutoScalingGroup"]);
  expect(acted.helmr.toSorted()).toEqual(["drain", "lost", "plan", "scaleIn"]);
  expect(observed.aws).toEqual([]);
  expect(observed.helmr).toEqual(["plan"]);
  expect(observed.ledger.filter((pk) => pk.startsWith("operation#"))).toEqual([]);

  const [before, first] = [acted, observed].map(({ trails }) => upTo(trails.get("default"), /^drain in /));
  expect(first?.length).toBeGreaterThan(1);
  expect(comparable(first ?? [])).toEqual(comparable(before ?? []));
  expect([before?.at(-1)?.outcome, first?.at(-1)?.outcome]).toEqual(["draining", "observed"]);
  expect(outcomes(acted, helmrGroup)).toContain("drain its host: draining");
  expect(outcomes(observed, helmrGroup)).toEqual([
    "keep desired capacity 2: none",
    "raise desired capacity to 4: observed",
    "drain its host: observed",
  ]);
}, 180_000);

test("Helmr without plans: nothing at all is sent, and the trail says why nothing is decided", async () => {
  const observed = await story({ Mode: "observe" });
  expect(observed.aws).toEqual([]);
  expect(observed.helmr).toEqual([]);
  expect(outcomes(observed, helmrGroup)).toEqual(["keep desired capacity 2: none", "drain its host: observed"]);
  const reasons = (observed.trails.get("default") ?? []).flatMap((entry) => entry.reasons);
  expect(reasons.join("; ")).toContain("ObserveHelmrPlans does not allow plans");
}, 180_000);
