import { beforeEach, describe, expect, test } from "vitest";
import { type CapacityEvent, readCapacityEvent } from "../../lib/zoomies/event.ts";
import { takeGroup } from "../../lib/zoomies/group-record.ts";
import { receiveEvent } from "../../lib/zoomies/receive-event.ts";
import { reconcileDemand } from "../../lib/zoomies/reconcile-demand.ts";
import { DemandWorld } from "./demand-world.ts";
import { makeGroup } from "./made-groups.ts";
import { minute } from "./made-readings.ts";
import { sampleEvent } from "./sample-event.ts";

let world: DemandWorld;
let events: number;

beforeEach(() => {
  world = new DemandWorld();
  events = 0;
  world.groups.add(makeGroup());
});

/** A new event of a pool, of this moment. */
function event(pool: string, capacity: number, slots: number, more: object = {}): CapacityEvent {
  events += 1;
  const body = {
    ...sampleEvent,
    event_id: `event-${events}`,
    timestamp: new Date(world.clock.now()).toISOString(),
    host_selector: {},
    pool_id: pool,
    current_capacity: capacity,
    required_runner_slots: slots,
    ...(slots < 0 ? { type: "scale_down_opportunity", queued_job_count: 0 } : {}),
    ...more,
  };
  const read = readCapacityEvent(Buffer.from(JSON.stringify(body)));
  if ("refusal" in read) throw new Error(read.refusal.message);
  return read.event;
}

const receive = (one: CapacityEvent) => receiveEvent(world.parts, one);

async function reconcile() {
  world.clock.advance(minute);
  return reconcileDemand(world.parts, world.clock.now() + minute);
}

/** The group without the tag of that pool. */
function untag(pool: string): void {
  const group = makeGroup();
  const tags = Object.entries(group.tags).filter(([tag]) => tag !== `drover:zoomies-pool/${pool}`);
  world.groups.all.set(group.name, {
    ...group,
    desired: world.groups.desired("builders") ?? 0,
    tags: Object.fromEntries(tags),
  });
}

describe("an event", () => {
  test("of a pool seen for the first time, and of one that is known, is applied", async () => {
    expect(await receive(event("pool_a", 8, 3))).toEqual({ outcome: "applied" });
    world.clock.advance(minute);
    expect(await receive(event("pool_a", 12, 3))).toEqual({ outcome: "applied" });
    expect(world.groups.raises.map(({ to }) => to)).toEqual([3, 4]);
  });

  test("that comes again is a duplicate, and older than the newest it is superseded", async () => {
    const first = event("pool_a", 8, 3);
    world.clock.advance(1_000);
    const second = event("pool_a", 8, 5);
    await receive(second);
    expect(await receive(second)).toEqual({ outcome: "duplicate" });
    expect(await receive(first)).toEqual({ outcome: "superseded" });
    expect(world.groups.raises).toHaveLength(1);
  });

  test("50 times at once has one effect", async () => {
    const one = event("pool_a", 8, 3);
    const outcomes = (await Promise.all(Array.from({ length: 50 }, () => receive(one)))).map((received) =>
      "refusal" in received ? received.refusal.code : received.outcome,
    );
    expect(outcomes.filter((outcome) => outcome === "applied")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "duplicate")).toHaveLength(49);
    expect(world.groups.raises).toHaveLength(1);
  });

  test("of a scale-down is recorded and raises nothing", async () => {
    expect(await receive(event("pool_a", 100, -3))).toEqual({ outcome: "recorded" });
    expect(world.groups.raises).toEqual([]);
  });

  test("that nobody serves is refused, and nothing is written", async () => {
    expect(await receive(event("pool_x", 8, 3))).toMatchObject({ refusal: { status: 404, code: "pool_not_served" } });
    expect(await receive(event("pool_a", 8, 3, { backend: "podman" }))).toMatchObject({ refusal: { status: 422 } });
    expect(await world.record("builders")).toBeUndefined();
  });
});

describe("a pool that the group served a moment ago and does not any more", () => {
  beforeEach(async () => {
    await receive(event("pool_a", 8, 3));
    world.clock.advance(minute);
  });

  test("is refused as often as its event is sent", async () => {
    untag("pool_a");
    const one = event("pool_a", 20, 20);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(await receive(one)).toMatchObject({ refusal: { status: 404, code: "pool_not_served" } });
    }
    expect(world.groups.desired("builders")).toBe(3);
  });

  test("leaves nothing in the ledger from its next event on", async () => {
    untag("pool_a");
    await receive(event("pool_a", 20, 20));
    const before = await world.record("builders");
    world.clock.advance(minute);
    expect(await receive(event("pool_a", 20, 20))).toMatchObject({ refusal: { status: 404 } });
    expect(await world.record("builders")).toEqual(before);
  });

  test("is served again as soon as its tag is back", async () => {
    untag("pool_a");
    await receive(event("pool_a", 20, 20));
    world.clock.advance(minute);
    world.groups.add(makeGroup({ desired: 3 }));
    expect(await receive(event("pool_a", 20, 20))).toEqual({ outcome: "applied" });
    expect(world.groups.desired("builders")).toBe(10);
  });

  test("keeps its group when only one event asked for what the hosts do not offer", async () => {
    expect(await receive(event("pool_a", 20, 20, { backend: "podman" }))).toMatchObject({ refusal: { status: 422 } });
    expect(await receive(event("pool_a", 20, 20))).toEqual({ outcome: "applied" });
  });

  test("raises the group that serves it now", async () => {
    untag("pool_a");
    world.groups.add(makeGroup({ name: "other", tags: {} }));
    expect(await receive(event("pool_a", 20, 20))).toEqual({ outcome: "applied" });
    expect(world.groups.desired("builders")).toBe(3);
    expect(world.groups.desired("other")).toBe(10);
  });
});

describe("a pool that moved", () => {
  test("raises the group that serves it now, even when the old one was held at that moment", async () => {
    untag("pool_a");
    world.groups.add(makeGroup({ name: "other", tags: {} }));
    await takeGroup(world.parts, "builders");
    const received = await receive(event("pool_a", 20, 20));
    await reconcile();
    expect(received).not.toHaveProperty("refusal");
    expect(world.groups.desired("other")).toBe(10);
  });
});

test("a raise that was answered by nobody, and landed, is not taken back while the describe still lags", async () => {
  world.groups.answers.push({ outcome: "unknown", code: "TimeoutError" });
  expect(await receive(event("pool_a", 20, 8))).toMatchObject({ refusal: { status: 503 } });
  expect(world.groups.raises).toEqual([{ group: "builders", to: 7 }]);
  // It landed; the describe does not show it yet when a smaller reading comes.
  world.clock.advance(30_000);
  await receive(event("pool_a", 20, 2));
  for (const { to } of world.groups.raises) expect(to).toBeGreaterThanOrEqual(7);
});
