import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isFresh, targetSlots } from "../../lib/zoomies/target.ts";
import { type Arrived, arrivals, freshMs, minute, newestByPool, noon, reading } from "./made-readings.ts";

const targetOf = (arrived: readonly Arrived[]) => targetSlots(Object.values(newestByPool(arrived)), noon, freshMs);

describe("the slots that a group's pools ask for", () => {
  test("are the contract's sum for its sample: 8 and 3 missing are 11", () => {
    expect(targetSlots([reading(8, 3)], noon, freshMs)).toBe(11);
  });

  test("are what is missing when there is nothing yet", () => {
    expect(targetSlots([reading(0, 4)], noon, freshMs)).toBe(4);
  });

  test("count shared hosts once: A 8+3, then B 11+2, is 13, in any order of arrival", () => {
    const a = { pool: "pool_a", reading: reading(8, 3, { ago: 30_000 }) };
    const b = { pool: "pool_b", reading: reading(11, 2) };
    expect(targetOf([a, b])).toBe(13);
    expect(targetOf([b, a])).toBe(13);
    expect(targetOf([b, a, b, a])).toBe(13);
  });

  test("tell moments apart to the nanosecond", () => {
    const moment = (digits: string, id: string) => ({ eventId: id, order: `2026-09-05T12:00:00.${digits}Z#${id}` });
    const a = reading(8, 3, moment("000000001", "z"));
    const b = reading(11, 2, moment("000000002", "a"));
    expect(targetSlots([a, b], noon, freshMs)).toBe(13);
    expect(targetSlots([reading(8, 3, moment("000000002", "z")), b], noon, freshMs)).toBe(16);
  });

  test("add the shortfalls of one moment: two pools that share 8 full slots want 3 and 2 more", () => {
    expect(targetSlots([reading(8, 3), reading(8, 2)], noon, freshMs)).toBe(13);
  });

  test("of a pool that meanwhile sees enough hosts are asked for no more", () => {
    const before = { pool: "pool_a", reading: reading(8, 3, { ago: minute }) };
    const after = { pool: "pool_a", reading: reading(11, -2) };
    expect(targetOf([before, after])).toBeUndefined();
  });

  test("are asked for by nobody when there are no readings, or only old ones", () => {
    expect(targetSlots([], noon, freshMs)).toBeUndefined();
    expect(targetSlots([reading(8, 3, { ago: freshMs })], noon, freshMs)).toBeUndefined();
    expect(targetSlots([reading(8, 3, { ago: freshMs - 1 })], noon, freshMs)).toBe(11);
  });

  test("include a shortfall that a later look at the shared hosts still had not met", () => {
    const capacityLater = { pool: "pool_b", reading: reading(20, -1, { ago: 2 * minute }) };
    const shortfall = { pool: "pool_a", reading: reading(8, 3, { ago: minute }) };
    expect(targetOf([capacityLater, shortfall])).toBe(23);
  });

  test("believe a reading from a clock that runs ahead", () => {
    expect(isFresh(reading(8, 3, { ago: -4 * minute }), noon, freshMs)).toBe(true);
    expect(targetSlots([reading(8, 3, { ago: -4 * minute })], noon, freshMs)).toBe(11);
  });
});

describe("whatever was read", () => {
  test("repeating any reading never changes the target", () => {
    fc.assert(
      fc.property(arrivals, fc.array(fc.nat(), { maxLength: 20 }), (arrived, repeats) => {
        const again = repeats.flatMap((index) => arrived.slice(index % (arrived.length || 1)).slice(0, 1));
        expect(targetOf([...arrived, ...again])).toBe(targetOf(arrived));
      }),
    );
  });

  test("the order of arrival never matters", () => {
    const shuffled = arrivals.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([arrived, other]) => {
        expect(targetOf(other)).toBe(targetOf(arrived));
      }),
    );
  });

  test("scale-downs alone ask for nothing", () => {
    fc.assert(
      fc.property(arrivals, (arrived) => {
        const without = arrived.filter(({ reading: { type } }) => type === "scale_down_opportunity");
        expect(targetOf(without)).toBeUndefined();
      }),
    );
  });

  test("stale readings never count", () => {
    fc.assert(
      fc.property(arrivals, (arrived) => {
        const newest = Object.values(newestByPool(arrived));
        const fresh = newest.filter((one) => noon - one.at < freshMs);
        expect(targetSlots(newest, noon, freshMs)).toBe(targetSlots(fresh, noon, freshMs));
      }),
    );
  });

  test("the target is never below the sum that any fresh demand names for itself, nor above all capacity and shortfall", () => {
    fc.assert(
      fc.property(arrivals, (arrived) => {
        const newest = Object.values(newestByPool(arrived)).filter((one) => isFresh(one, noon, freshMs));
        const demands = newest.filter(({ type }) => type === "capacity_demand");
        const target = targetOf(arrived);
        for (const { capacity, required } of demands) expect(target).toBeGreaterThanOrEqual(capacity + required);
        if (target === undefined) return;
        const shortfalls = demands.reduce((sum, { required }) => sum + required, 0);
        expect(target).toBeLessThanOrEqual(Math.max(...newest.map(({ capacity }) => capacity)) + shortfalls);
      }),
    );
  });

  test("a target that repeats itself while hosts boot stays the same target", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 2, max: 12 }),
        (capacity, required, times) => {
          const arrived = Array.from({ length: times }, (_, index) => ({
            pool: "pool_a",
            reading: reading(capacity, required, { ago: index * minute }),
          }));
          expect(targetOf(arrived)).toBe(capacity + required);
        },
      ),
    );
  });
});
