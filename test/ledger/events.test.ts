import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { rememberEvent } from "../../lib/ledger/events.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import type { Table } from "../../lib/ledger/table.ts";
import { startLocalTable } from "./local-table.ts";
import { MemoryTable } from "./memory-table.ts";

let local: Awaited<ReturnType<typeof startLocalTable>>;

beforeAll(async () => {
  local = await startLocalTable();
});

afterAll(() => local?.close());

const kinds: [string, () => Table][] = [
  ["in memory", () => new MemoryTable()],
  ["in DynamoDB", () => local.table],
];

describe.each(kinds)("an event id %s", (_, table) => {
  const clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  const event = { source: "zoomies", eventId: "k5v3mq7xw2ratn4zcy6p", timestamp: "2026-09-05T12:00:00.000000000Z" };

  test("is new to one of 50 that bring it at once", async () => {
    const records = ledgerRecords(table(), clock, randomUUID);
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => rememberEvent(records, event)));
    expect(outcomes.filter((outcome) => outcome === "recorded")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "duplicate")).toHaveLength(49);
  });
});

test("the same id of another sender is another event", async () => {
  const records = ledgerRecords(new MemoryTable(), new ManualClock(0), randomUUID);
  const event = { source: "zoomies", eventId: "1", timestamp: "" };
  expect(await rememberEvent(records, event)).toBe("recorded");
  expect(await rememberEvent(records, { ...event, source: "kici" })).toBe("recorded");
});

test("an id is remembered for 30 days", async () => {
  const clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  const records = ledgerRecords(new MemoryTable(), clock, randomUUID);
  const event = { source: "zoomies", eventId: "1", timestamp: "" };
  await rememberEvent(records, event);
  clock.advance(30 * 24 * 3_600_000 - 1);
  expect(await rememberEvent(records, event)).toBe("duplicate");
  clock.advance(1);
  expect(await rememberEvent(records, event)).toBe("recorded");
});
