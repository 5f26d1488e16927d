import { afterEach, expect, test } from "vitest";
import { startWorld, type TestWorld } from "../world.ts";

let world: TestWorld;
afterEach(() => world.close());

const seeded = (seed: number) => () => {
  // A small linear congruential generator: the order is random, and the same in every run.
  seed = (seed * 1_664_525 + 1_013_904_223) % 4_294_967_296;
  return seed / 4_294_967_296;
};

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ value }) => value);
}

/** Sends as the sender does, less its waits: three tries, and then silence. */
async function sendThrice(event: Event): ReturnType<TestWorld["send"]> {
  for (let tries = 1; ; tries += 1) {
    const reply = await world.send(event);
    if (reply.status === 204 || tries === 3) return reply;
    // The only refusal here: no concurrency, or no time, was left.
    expect(reply.status).toBe(503);
  }
}

/** Runs `work` over a list with so many at a time. */
async function inParallel<T>(list: readonly T[], atOnce: number, work: (value: T) => Promise<void>): Promise<void> {
  const queue = [...list];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

type Event = ReturnType<TestWorld["event"]>;
const shortfallOf = (event: Event) => event.required_runner_slots;
const capacityOf = (event: Event) => event.current_capacity;
const targetOf = (event: Event) => capacityOf(event) + shortfallOf(event);

test("fifty copies of one event at once have one effect", async () => {
  world = await startWorld({ fleets: [{ name: "linux", pools: ["pool_1"], slotsPerHost: 4 }] });
  const event = world.event({ pool: "pool_1", capacity: 8, slots: 3 });
  const replies = await Promise.all(Array.from({ length: 50 }, () => sendThrice(event)));
  expect(replies.filter(({ outcome }) => outcome === "applied").length).toBeLessThanOrEqual(1);
  world.advance(60_000);
  await world.reconcile();
  expect(world.faults.count("auto-scaling:SetDesiredCapacity")).toBe(1);
  expect(world.group("linux").desired).toBe(3);
});

test.each([
  { limit: 50, groups: 50 },
  { limit: 10, groups: 50 },
  { limit: 10, groups: 10 },
])(
  "200 events for 50 pools on $groups groups, shuffled, with copies, at most $limit at a time: one minute run and all is met",
  async ({ limit, groups }) => {
    const groupOfPool = new Map(Array.from({ length: 50 }, (_, i) => [`pool_${i}`, `group-${i % groups}`]));
    const names = [...new Set(groupOfPool.values())];
    world = await startWorld({
      concurrencyLimit: limit,
      fleets: names.map((name) => ({
        name,
        pools: [...groupOfPool].filter(([, group]) => group === name).map(([pool]) => pool),
        slotsPerHost: 1,
        maxSize: 1000,
      })),
    });
    let falls = 0;
    world.cloud.on((change) => {
      if (change.type === "desired-capacity" && change.to < change.from) falls += 1;
    });
    const random = seeded(limit + groups);
    const events = Array.from({ length: 200 }, (_, i) =>
      world.event({ pool: `pool_${i % 50}`, capacity: Math.floor(random() * 20), slots: 1 + Math.floor(random() * 9) }),
    );
    const sent = shuffled([...events, ...events.filter(() => random() < 0.3)], random);
    const taken = new Set<string>();
    await inParallel(sent, 50, async (event) => {
      if ((await sendThrice(event)).status === 204) taken.add(event.event_id);
    });
    expect(taken.size).toBeGreaterThan(0);
    world.advance(60_000);
    expect((await world.reconcile()).outcome.kind).toBe("answered");

    expect(falls).toBe(0);
    for (const name of names) {
      const sentHere = events.filter((event) => groupOfPool.get(event.pool_id) === name);
      const newest = new Map(
        sentHere.filter(({ event_id }) => taken.has(event_id)).map((event) => [event.pool_id, event]),
      );
      const least = Math.max(0, ...[...newest.values()].map(targetOf));
      // An event that was not answered in time may have been recorded all the same. Pools on one group add their
      // shortfalls to one capacity, and to no more than that.
      const pools = [...new Set(sentHere.map(({ pool_id }) => pool_id))];
      const worst = pools.map((pool) => sentHere.filter(({ pool_id }) => pool_id === pool).map(shortfallOf));
      const most =
        pools.length === 1
          ? Math.max(...sentHere.map(targetOf))
          : Math.max(...sentHere.map(capacityOf)) + worst.reduce((sum, of) => sum + Math.max(...of), 0);
      expect(world.group(name).desired).toBeGreaterThanOrEqual(least);
      expect(world.group(name).desired).toBeLessThanOrEqual(most);
    }
  },
);
