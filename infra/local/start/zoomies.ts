import { setTimeout as sleep } from "node:timers/promises";
import type { Timeline } from "../timeline.ts";
import type { LocalWorld } from "../world.ts";
import { type Controller, zoomiesController } from "../zoomies/controller.ts";
import type { Delivered } from "../zoomies/delivery.ts";
import type { CapacityEvent } from "../zoomies/event.ts";
import { post } from "../zoomies/post.ts";
import { armPool, linuxPool, localFleets } from "./pools.ts";

/** Shorter than the sender's defaults (10 s and 10 min), so that a person can watch. */
export const passEveryMs = 2_000;
export const cooldownMs = 30_000;
/** From an instance in service to its agent's first heartbeat. */
const JOIN_MS = 1_000;

export type LocalZoomies = { controller: Controller; stop(): void };

/** A Zoomies controller beside the world, whose hosts are the instances that its groups bring into service. */
export function startZoomies(
  world: LocalWorld,
  lines: Timeline,
  onDelivered: (event: CapacityEvent, result: Delivered) => void,
): LocalZoomies {
  const say = (text: string) => lines.add({ source: "zoomies", text });
  const controller = zoomiesController(
    { destinationUrl: `${world.api}/zoomies/capacity`, signingSecret: world.secrets.zoomies.value, cooldownMs },
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
  const pending = new Set<NodeJS.Timeout>();
  const later = (ms: number, run: () => void) => {
    const timer = setTimeout(() => {
      pending.delete(timer);
      run();
    }, ms);
    pending.add(timer);
  };
  const join = (group: string, name: string) => {
    const fleet = localFleets.find((each) => each.name === group);
    if (fleet === undefined) return;
    const { os, arch, ...labels } = fleet.hostLabels;
    controller.joinHost({ name, capacity: fleet.slotsPerHost, labels, os, arch });
    say(`host ${name} joined with ${fleet.slotsPerHost} slots`);
    // A join nudges the scheduler.
    pass();
  };
  const unlisten = world.cloud.on((event) => {
    if (event.type === "member-state" && event.to === "InService") {
      later(JOIN_MS, () => join(event.group, event.instanceId));
    }
    if (event.type === "instance-state" && event.to === "shutting-down") controller.endMachine(event.instanceId);
  });
  const timer = setInterval(pass, passEveryMs);
  return {
    controller,
    stop() {
      unlisten();
      clearInterval(timer);
      for (const each of pending) clearTimeout(each);
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
