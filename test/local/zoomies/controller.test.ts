import { expect, test } from "vitest";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";
import { type Controller, type ControllerParts, zoomiesController } from "../../../infra/local/zoomies/controller.ts";
import type { CapacityEvent } from "../../../infra/local/zoomies/event.ts";

const MINUTE = 60_000;

function world(answer: ControllerParts["post"] = async () => ({ status: 204, headers: {}, body: "" })) {
  const clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  const sent: CapacityEvent[] = [];
  let seed = 0;
  const controller = zoomiesController(
    { destinationUrl: "http://127.0.0.1:9/zoomies/capacity", signingSecret: "s", cooldownMs: 10 * MINUTE },
    {
      clock,
      random: () => {
        seed = (seed + 0.381966) % 1;
        return seed;
      },
      wait: async () => {},
      post: answer,
      onSent: (event) => sent.push(event),
    },
  );
  return { clock, controller, sent };
}

const numbers = (event: CapacityEvent | undefined) => [
  event?.type,
  event?.current_capacity,
  event?.required_runner_slots,
];
const join = (controller: Controller, name: string, more = {}) => controller.joinHost({ name, capacity: 4, ...more });

test("queued jobs and no host at all ask for the whole demand from zero", () => {
  const { controller, sent } = world();
  controller.addPool({ id: "pool_a" });
  controller.queueJobs("pool_a", 7, MINUTE);
  controller.pass();
  expect(numbers(sent[0])).toEqual(["capacity_demand", 0, 7]);
  expect(sent[0]).toMatchObject({ schema_version: 1, pool_id: "pool_a", queued_job_count: 7, backend: "docker" });
});

test("a full fleet asks for what is missing on top of what it has", () => {
  const { clock, controller, sent } = world();
  controller.addPool({ id: "pool_a" });
  join(controller, "i-1");
  controller.queueJobs("pool_a", 4, 60 * MINUTE);
  controller.pass();
  clock.advance(5000);
  controller.queueJobs("pool_a", 3, MINUTE);
  controller.pass();
  expect(sent.map(numbers)).toEqual([["capacity_demand", 4, 3]]);
  expect(sent[0]?.oldest_queue_age_seconds).toBe(5);
});

test("a pool at its maximum, and jobs that all found a place, say nothing", () => {
  const { controller, sent } = world();
  controller.addPool({ id: "pool_a", maxRunners: 4 });
  join(controller, "i-1");
  controller.queueJobs("pool_a", 6, MINUTE);
  controller.pass();
  controller.pass();
  expect(sent).toEqual([]);
});

test("capacity counts hosts that match the selector, the backend and are healthy; not cordoned ones", () => {
  const { clock, controller, sent } = world();
  controller.addPool({ id: "pool_a", selector: { zone: "a" } });
  join(controller, "match", { labels: { zone: "a" } });
  join(controller, "elsewhere", { labels: { zone: "b" } });
  join(controller, "podman", { labels: { zone: "a" }, backend: "podman" });
  join(controller, "cordoned", { labels: { zone: "a" }, cordoned: true });
  join(controller, "silent", { labels: { zone: "a" } });
  controller.silence("silent");
  clock.advance(90_000);
  controller.queueJobs("pool_a", 9, MINUTE);
  controller.pass();
  expect(numbers(sent[0])).toEqual(["capacity_demand", 4, 9]);
});

test("within the cooldown a pool's demand is not repeated, whatever became of the first attempt; after it the id is new", async () => {
  const { clock, controller, sent } = world(async () => ({ status: 503, headers: {}, body: "" }));
  controller.addPool({ id: "pool_a" });
  controller.queueJobs("pool_a", 1, MINUTE);
  controller.pass();
  await controller.delivered();
  clock.advance(10 * MINUTE - 1);
  controller.pass();
  expect(sent.length).toBe(1);
  clock.advance(1);
  controller.pass();
  expect(sent.length).toBe(2);
  expect(sent[1]?.event_id).not.toBe(sent[0]?.event_id);
});

test("a first scale-down waits for a whole cooldown of excess; its target is what the pool wants", () => {
  const { clock, controller, sent } = world();
  controller.addPool({ id: "pool_a", minRunners: 1 });
  join(controller, "i-1");
  join(controller, "i-2");
  controller.pass();
  clock.advance(10 * MINUTE - 1);
  controller.pass();
  expect(sent).toEqual([]);
  clock.advance(1);
  controller.pass();
  expect(numbers(sent[0])).toEqual(["scale_down_opportunity", 8, -7]);
  expect(sent[0]).toMatchObject({ queued_job_count: 0, oldest_queue_age_seconds: 0 });
});

test("jobs run on joined hosts and end, and a dead host takes its jobs with it, its runners when it is presumed gone", () => {
  const { clock, controller } = world();
  controller.addPool({ id: "pool_a" });
  join(controller, "i-1");
  controller.queueJobs("pool_a", 2, MINUTE);
  controller.pass();
  expect([...controller.fleet.jobs.values()].every((job) => job.startedAt !== undefined)).toBe(true);
  clock.advance(MINUTE);
  controller.pass();
  expect([controller.fleet.jobs.size, controller.fleet.runners.size]).toEqual([0, 0]);
  controller.queueJobs("pool_a", 1, MINUTE);
  controller.pass();
  controller.endMachine("i-1");
  expect([controller.fleet.jobs.size, controller.fleet.runners.size]).toEqual([0, 1]);
  clock.advance(5 * MINUTE);
  controller.settle();
  expect(controller.fleet.runners.size).toBe(0);
});
