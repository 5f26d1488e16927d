import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { playSeeds } from "../many-seeds.ts";
import { helmrMutants } from "../mutants/helmr/list.ts";

const root = new URL("../../../", import.meta.url);
const seeds = Array.from({ length: 300 }, (_, index) => index + 1);

test("300 worlds of Helmr, with crashes, lost replies, accidents and people: no rule breaks, and each comes to rest", {
  timeout: 600_000,
}, async () => {
  const broken: string[] = [];
  await playSeeds({
    world: "helmr",
    mutant: undefined,
    seeds,
    atOnce: 2,
    onVerdict({ seed, violations }) {
      const again = `npm run simulate -- --world helmr --seed ${seed}`;
      broken.push(...violations.map((violation) => `${violation} (again: ${again})`));
    },
  });
  expect(broken).toEqual([]);
});

test.each(helmrMutants)("the mutant $name still says what to change", async ({ also = [], ...first }) => {
  for (const { file, find } of [first, ...also]) {
    const text = await readFile(new URL(file, root), "utf8");
    expect(text.split(find).length - 1, `${file}: ${find}`).toBe(1);
  }
});
