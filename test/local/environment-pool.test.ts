import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Environment } from "../../infra/local/lambda/environment.ts";
import { environmentPool, type Taken } from "../../infra/local/lambda/environment-pool.ts";

let made: number;
let killed: string[];
const environment = (): Environment => {
  made += 1;
  const accessKeyId = `key-${made}`;
  return { number: made, accessKeyId, serve: async () => ({ kind: "killed" }), kill: () => killed.push(accessKeyId) };
};
beforeEach(() => {
  vi.useFakeTimers();
  made = 0;
  killed = [];
});
afterEach(() => {
  vi.useRealTimers();
});

const takes = async (pool: ReturnType<typeof environmentPool>, count: number) => {
  const taken: (Taken | undefined)[] = [];
  for (let index = 0; index < count; index += 1) void pool.take().then((each) => taken.push(each));
  await vi.advanceTimersByTimeAsync(0);
  return taken;
};

test("a burst starts a few environments at once; one that comes free serves the next, and another starts in its place", async () => {
  const pool = environmentPool(environment, { now: 0 });
  const taken = await takes(pool, 7);
  expect([taken.length, made]).toEqual([4, 4]);
  pool.giveBack((taken[0] as Taken).environment, true);
  await vi.advanceTimersByTimeAsync(0);
  expect(taken.slice(4)).toMatchObject([
    { environment: { accessKeyId: "key-1" }, coldStart: false },
    { environment: { accessKeyId: "key-5" }, coldStart: true },
  ]);
});

test("a burst that makes progress is served by sixteen environments", async () => {
  const pool = environmentPool(environment, { now: 0 });
  const taken = await takes(pool, 200);
  for (let done = 0; done < 200; done += 1) {
    pool.giveBack((taken[done] as Taken).environment, true);
    await vi.advanceTimersByTimeAsync(50);
  }
  expect([taken.length, made]).toEqual([200, 16]);
});

test("invocations that hold their environments do not hold the others for ever", async () => {
  const pool = environmentPool(environment, { now: 0 });
  const taken = await takes(pool, 10);
  await vi.advanceTimersByTimeAsync(3_500);
  expect(new Set(taken.map((each) => each?.environment.accessKeyId)).size).toBe(10);
});

test("an environment that is retired or broken is replaced for whoever waits", async () => {
  const pool = environmentPool(environment, { now: 0 });
  const taken = await takes(pool, 5);
  pool.retireAll();
  pool.giveBack((taken[0] as Taken).environment, true);
  pool.giveBack((taken[1] as Taken).environment, false);
  const more = await takes(pool, 1);
  expect([...taken.slice(4), ...more].map((each) => each?.environment.accessKeyId)).toEqual(["key-5", "key-6"]);
  expect(killed).toEqual(["key-2"]);
});

test("closing ends every environment and lets go of those that wait", async () => {
  const pool = environmentPool(environment, { now: 0 });
  const taken = await takes(pool, 5);
  pool.close();
  await vi.advanceTimersByTimeAsync(1000);
  expect(taken[4]).toBeUndefined();
  expect(killed.length).toBe(4);
  expect(made).toBe(4);
});
