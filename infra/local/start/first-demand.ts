import type { Cloud } from "../aws/cloud.ts";
import type { Delivered } from "../zoomies/delivery.ts";
import type { CapacityEvent } from "../zoomies/event.ts";
import { localFleets } from "./pools.ts";

const LONGEST_MS = 60_000;

export type FirstDemand = {
  /** Jobs that cause it: more than one host's slots. */
  jobs: number;
  jobMs: number;
  /** Resolves to true once enough hosts are in service, to false when the event is not taken or a minute has passed. */
  inService: Promise<boolean>;
  delivered(event: CapacityEvent, result: Delivered): void;
  stop(): void;
};

/** The demand that `npm start` delivers by itself, watched until the group has what it needs. */
export function firstDemand(cloud: Cloud): FirstDemand {
  const [fleet] = localFleets;
  if (fleet === undefined) throw new Error("The local world has no fleet.");
  const jobs = fleet.slotsPerHost * 2 - 1;
  const hosts = Math.ceil(jobs / fleet.slotsPerHost);
  const done = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => done.resolve(false), LONGEST_MS);
  timer.unref();
  const unlisten = cloud.on((event) => {
    if (event.type !== "member-state" || event.group !== fleet.name || event.to !== "InService") return;
    const inService = cloud.world.groups.get(fleet.name)?.members.values() ?? [];
    if ([...inService].filter(({ state }) => state === "InService").length >= hosts) done.resolve(true);
  });
  return {
    jobs,
    jobMs: 20_000,
    inService: done.promise,
    delivered(_event, result) {
      if (!result.delivered) done.resolve(false);
    },
    stop() {
      unlisten();
      clearTimeout(timer);
      done.resolve(false);
    },
  };
}
