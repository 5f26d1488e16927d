import { setTimeout as sleep } from "node:timers/promises";
import type { Timeline } from "../timeline.ts";
import type { LocalWorld } from "../world.ts";
import { type Controller, zoomiesController } from "../zoomies/controller.ts";
import type { Delivered } from "../zoomies/delivery.ts";
import type { CapacityEvent } from "../zoomies/event.ts";
import { post } from "../zoomies/post.ts";
import { startAgents } from "./agents.ts";
import { armPool, linuxPool } from "./pools.ts";
import type { LocalZoomiesApi } from "./zoomies-api.ts";

/** Shorter than the sender's defaults (10 s and 10 min), so that a person can watch. */
export const passEveryMs = 2_000;
export const cooldownMs = 30_000;

export type LocalZoomies = { controller: Controller; stop(): void };

/** A Zoomies controller beside the world, whose hosts are the instances of its groups: they ask Drover, and join. */
export function startZoomies(
  world: LocalWorld,
  api: LocalZoomiesApi,
  lines: Timeline,
  onDelivered: (event: CapacityEvent, result: Delivered) => void,
): LocalZoomies {
  const say = (text: string) => lines.add({ source: "zoomies", text });
  const controller = zoomiesController(
    {
      destinationUrl: `${world.api}/zoomies/capacity`,
      signingSecret: world.secrets.zoomies.value,
      cooldownMs,
      runnerStartMs: () => 1_000,
      runnerEndMs: () => 500,
      apiTokens: api.tokens,
    },
    {
      clock: { now: Date.now },
      random: Math.random,
      post,
      wait: (ms) => sleep(ms),
      onSent: (event) => say(announcement(event)),
      onDelivered(event, result) {
        const last = result.status ?? result.error;
        if (!result.delivered) say(`event ${event.event_id} was not delivered in ${result.tries} tries: ${last}`);
        onDelivered(event, result);
      },
    },
  );
  api.answerWith(controller.api);
  controller.addPool(linuxPool);
  controller.addPool(armPool);

  let jobsBefore = "";
  const pass = () => {
    controller.pass();
    const jobs = [...controller.fleet.jobs.values()];
    const running = jobs.filter((job) => job.startedAt !== undefined).length;
    const now = `jobs: ${running} running, ${jobs.length - running} queued`;
    if (now !== jobsBefore) say(now);
    jobsBefore = now;
  };
  const agents = startAgents(world, controller, say);
  const timer = setInterval(pass, passEveryMs);
  return {
    controller,
    stop() {
      agents.stop();
      clearInterval(timer);
    },
  };
}

function announcement(event: CapacityEvent): string {
  const { type, pool_id, current_capacity: capacity, required_runner_slots: slots, queued_job_count: queued } = event;
  const pool = pool_id === linuxPool.id ? linuxPool.name : armPool.name;
  return type === "capacity_demand"
    ? `pool ${pool} has ${capacity} slots and misses ${slots} (${queued} jobs queued): sends capacity_demand`
    : `pool ${pool} has ${capacity} slots, ${-slots} more than it wants: sends scale_down_opportunity`;
}
