import type { PoolReading } from "./reading.ts";

/** Whether a reading still speaks of the present. `freshMs` is longer than the sender's cooldown. */
export const isFresh = (reading: PoolReading, now: number, freshMs: number): boolean => now - reading.at < freshMs;

/** The sender's time to the nanosecond, which pools of one pass share or miss by little. */
const seenAt = ({ order }: PoolReading): string => order.slice(0, order.indexOf("#"));

/**
 * The runner slots that the hosts of one group should provide, from the newest reading of each of its pools; undefined
 * while no fresh reading asks for any.
 *
 * One pool: current capacity plus what was missing. Several pools share the hosts, so each reading's capacity counts the
 * same slots again: the target is the largest capacity(r) plus every shortfall seen at r's time or later, not the sum of
 * targets (A 8+3, then B 11+2, is 13). A scale-down reading never raises anything by itself (zoomies-notes 3, trap 9).
 */
export function targetSlots(readings: readonly PoolReading[], now: number, freshMs: number): number | undefined {
  const fresh = readings.filter((reading) => isFresh(reading, now, freshMs));
  const demands = fresh.filter((reading) => reading.type === "capacity_demand");
  let target: number | undefined;
  for (const reading of fresh) {
    const later = demands.filter((demand) => seenAt(demand) >= seenAt(reading));
    if (later.length === 0) continue;
    const slots = later.reduce((sum, demand) => sum + demand.required, reading.capacity);
    target = Math.max(target ?? 0, slots);
  }
  return target;
}
