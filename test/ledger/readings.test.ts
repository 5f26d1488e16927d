import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { type AnyReading, arrival, emptyGroupRecord, groupKey, writeGroup } from "../../lib/ledger/readings.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { MemoryTable } from "./memory-table.ts";

const reading = (time: string, eventId: string): AnyReading => ({ order: `${time}#${eventId}`, eventId });

describe("a reading that arrives", () => {
  test("is newer when nothing is known", () => {
    expect(arrival(undefined, reading("2026-09-05T12:00:00.000000000Z", "a"))).toBe("newer");
  });

  test("is told from its neighbours by its ninth fraction digit", () => {
    const known = reading("2026-09-05T12:00:00.123456789Z", "zzz");
    expect(arrival(known, reading("2026-09-05T12:00:00.123456790Z", "aaa"))).toBe("newer");
    expect(arrival(known, reading("2026-09-05T12:00:00.123456788Z", "zzz"))).toBe("older");
    expect(arrival(known, known)).toBe("same");
  });

  test("of the same nanosecond is ordered by its event id", () => {
    const known = reading("2026-09-05T12:00:00.000000000Z", "m");
    expect(arrival(known, reading("2026-09-05T12:00:00.000000000Z", "n"))).toBe("newer");
    expect(arrival(known, reading("2026-09-05T12:00:00.000000000Z", "l"))).toBe("older");
  });
});

test("whatever order readings arrive in, and however often, the same one is the newest", () => {
  const readings = fc.array(fc.record({ order: fc.stringMatching(/^[0-3]{1,2}#[ab]$/), eventId: fc.constant("e") }), {
    minLength: 1,
    maxLength: 8,
  });
  const newest = (list: readonly AnyReading[]) =>
    list.reduce<AnyReading | undefined>((known, next) => (arrival(known, next) === "newer" ? next : known), undefined);
  fc.assert(
    fc.property(
      readings.chain((list) =>
        fc.tuple(fc.constant(list), fc.shuffledSubarray([...list, ...list], { minLength: list.length * 2 })),
      ),
      ([list, shuffled]) => {
        expect(newest(shuffled)).toEqual(newest(list));
      },
    ),
  );
});

test("a group's record is written first where nothing is, then over what was read, and never over more", async () => {
  const records = ledgerRecords(new MemoryTable(), new ManualClock(0), randomUUID);
  const first = await writeGroup(records, "builders", undefined, emptyGroupRecord);
  if (first.outcome !== "written") throw new Error("Nothing stood there.");
  const one = { ...emptyGroupRecord, pending: true };
  expect((await writeGroup(records, "builders", undefined, one)).outcome).toBe("conflict");
  expect((await writeGroup(records, "builders", first.stored, one)).outcome).toBe("written");
  const late = await writeGroup(records, "builders", first.stored, emptyGroupRecord);
  expect(late).toEqual({ outcome: "conflict", stored: { value: one, version: 2 } });
  expect(await records.read(groupKey("builders"))).toEqual({ value: one, version: 2 });
});
