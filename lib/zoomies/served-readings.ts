import type { ZoomiesFleet } from "../capacity/group-fleet.ts";
import type { PoolReading } from "./reading.ts";
import { whyNotServed } from "./serves.ts";

/** The readings that this group's hosts can help: of pools it is tagged for now, with a backend and selector it meets. */
export function servedReadings(fleet: ZoomiesFleet, readings: Readonly<Record<string, PoolReading>>): PoolReading[] {
  return Object.entries(readings)
    .filter(
      ([poolId, reading]) => fleet.pools.includes(poolId) && whyNotServed(fleet, { poolId, ...reading }) === undefined,
    )
    .map(([, reading]) => reading);
}
