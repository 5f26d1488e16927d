import { expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { dryRecords } from "../../lib/ledger/dry-records.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { MemoryTable } from "./memory-table.ts";

const key = { pk: "thing#1", sk: "thing" };
const other = { pk: "thing#2", sk: "thing" };

function setUp() {
  let tokens = 0;
  const real = ledgerRecords(new MemoryTable(), new ManualClock(0), () => `token-${++tokens}`);
  return { real, dry: dryRecords(real) };
}

test("what a dry run writes is read back by it and by nobody else", async () => {
  const { real, dry } = setUp();
  await real.create(key, "stored");
  const read = await dry.read(key);
  if (read === undefined) throw new Error("The stored value is not seen.");
  expect(await dry.replace(key, read, "changed")).toMatchObject({ outcome: "written", stored: { value: "changed" } });
  expect(await dry.create(other, "new")).toMatchObject({ outcome: "written" });
  expect((await dry.readAll([key, other])).map((each) => each?.value)).toEqual(["changed", "new"]);
  expect((await real.readAll([key, other])).map((each) => each?.value)).toEqual(["stored", undefined]);
});

test("a writer at work beside a dry run is no conflict for it", async () => {
  const { real, dry } = setUp();
  await real.create(key, 1);
  const read = await dry.read<number>(key);
  if (read === undefined) throw new Error("The stored value is not seen.");
  await real.replace(key, read, 2);
  expect(await dry.read(key)).toEqual(read);
  expect(await dry.replace(key, read, 3)).toMatchObject({ outcome: "written", stored: { value: 3 } });
});

test("a dry run's own writes conflict as they would", async () => {
  const { real, dry } = setUp();
  await real.create(key, 1);
  expect(await dry.create(key, 2)).toMatchObject({ outcome: "conflict", stored: { value: 1 } });
  const read = await dry.read(key);
  if (read === undefined) throw new Error("The stored value is not seen.");
  await dry.replace(key, read, 3);
  expect(await dry.replace(key, read, 4)).toMatchObject({ outcome: "conflict", stored: { value: 3 } });
});
