import { afterEach, beforeEach, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import type { Invocation } from "../../infra/local/lambda/invocation.ts";
import { localSchedules } from "../../infra/local/schedules.ts";
import { place, startEcho } from "./echo-world.ts";

let echo: Awaited<ReturnType<typeof startEcho>>;
let open: () => void;
beforeEach(async () => {
  echo = await startEcho();
  (globalThis as { gate?: Promise<void> }).gate = new Promise((resolve) => {
    open = resolve;
  });
});
afterEach(() => echo.close());

const invoke = (ask: object = {}) => echo.functions.invoke("Echo", { body: JSON.stringify(ask) });
const said = ({ outcome }: Invocation) =>
  JSON.parse((outcome as unknown as { value: { body: string } }).value.body) as Record<string, unknown>;

test("one environment serves invocations one after the other, as the same module instance", async () => {
  const [first, second] = [await invoke(), await invoke()];
  expect(said(first).instance).toBe(said(second).instance);
  expect([said(first).served, said(second).served]).toEqual([1, 2]);
  expect([first.environment?.coldStart, second.environment?.coldStart]).toEqual([true, false]);
});

test("parallel invocations get environments, module instances and access keys of their own", async () => {
  const all = [invoke({ gate: true }), invoke({ gate: true }), invoke({ gate: true })];
  open();
  const done = await Promise.all(all);
  expect(new Set(done.map((each) => said(each).instance)).size).toBe(3);
  expect(new Set(done.map((each) => each.environment?.accessKeyId)).size).toBe(3);
  for (const each of done) {
    // The key seen at import and the one seen while serving belong to this environment.
    expect(said(each).key).toBe(each.environment?.accessKeyId);
    expect(said(each).keyAtStart).toBe(each.environment?.accessKeyId);
  }
});

test("a function sees its own variables and nothing of the machine's", async () => {
  expect(said(await invoke())).toMatchObject({ greeting: "hello echo", foreign: null, functionName: "echo-Echo" });
  expect(process.env["GREETING"]).toBeUndefined();
});

test("a restart makes the next invocation a cold start, and what runs may finish without being used again", async () => {
  const running = invoke({ gate: true });
  echo.functions.restart();
  open();
  const [before, after] = [await running, await invoke()];
  expect(before.outcome.kind).toBe("answered");
  expect(after.environment?.coldStart).toBe(true);
  expect(after.environment?.number).not.toBe(before.environment?.number);
});

test("at the account's concurrency limit the gateway answers 503 and no code runs", async () => {
  echo.functions.setConcurrencyLimit(2);
  const json = { "content-type": "application/json" };
  const held = [invoke({ gate: true }), invoke({ gate: true })];
  expect(await echo.post("{}", json)).toMatchObject({ status: 503, body: '{"message":"Service Unavailable"}' });
  expect((await invoke()).outcome).toEqual({ kind: "throttled" });
  echo.functions.setConcurrencyLimit(3);
  expect((await echo.post("{}", json)).status).toBe(200);
  open();
  await Promise.all(held);
  expect(echo.functions.inFlight()).toBe(0);
});

test("a function that exceeds its timeout is answered 503 and its environment is not used again", async () => {
  const reply = await echo.post('{"hang":true}', { "content-type": "application/json" });
  expect(reply.status).toBe(503);
  expect((await invoke()).environment?.coldStart).toBe(true);
});

test("the context tells how much of the timeout is left", async () => {
  const { remaining } = said(await invoke());
  expect(remaining).toBeGreaterThan(0);
  expect(remaining).toBeLessThanOrEqual(1000);
});

test("killing an environment ends its invocation at once with a 500 and silences it", async () => {
  const { environment } = await invoke();
  const lines = echo.lines.length;
  const running = echo.post('{"gate":true}', { "content-type": "application/json" });
  while (echo.functions.inFlight() === 0) await new Promise(setImmediate);
  echo.functions.kill(environment?.accessKeyId ?? "");
  expect(await running).toMatchObject({ status: 500 });
  open();
  await new Promise(setImmediate);
  expect(echo.lines.length).toBe(lines);
  expect((await invoke()).environment?.coldStart).toBe(true);
});

test("what a function prints belongs to its invocation and not to the terminal", async () => {
  expect((await invoke()).output).toEqual(['{"message":"served","served":1}']);
});

test("who listens to a function's output does so outside of the function's process", async () => {
  const keys: (string | undefined)[] = [];
  echo.lines.push = () => keys.push(process.env["AWS_ACCESS_KEY_ID"]);
  const key = process.env["AWS_ACCESS_KEY_ID"];
  await invoke();
  expect(keys).toEqual([key]);
});

test("a schedule runs when its period is over, once, and never beside itself unless told to", async () => {
  const clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  const schedules = localSchedules(echo.functions, clock, place);
  expect(await schedules.runDue()).toEqual([]);
  clock.advance(150_000);
  const [run] = await schedules.runDue();
  expect(run?.event).toMatchObject({
    source: "aws.scheduler",
    "detail-type": "Scheduled Event",
    time: "2026-09-05T12:02:30Z",
    detail: "{}",
  });
  expect(await schedules.runDue()).toEqual([]);
  const [first, second, third] = [
    schedules.fire("Echo"),
    schedules.fire("Echo"),
    schedules.fire("Echo", { overlap: true }),
  ];
  expect(await second).toBeUndefined();
  expect((await first)?.outcome.kind).toBe("answered");
  expect((await third)?.outcome.kind).toBe("answered");
});
