import fc from "fast-check";
import { arrival } from "../../lib/ledger/readings.ts";
import type { PoolReading } from "../../lib/zoomies/reading.ts";

export const noon = Date.UTC(2026, 8, 5, 12);
export const minute = 60_000;
/** The default of the stack's parameter. */
export const freshMs = 15 * minute;

/** A reading in short: `ago` is how many milliseconds before noon it was taken. */
export function reading(
  capacity: number,
  required: number,
  more: Partial<PoolReading> & { ago?: number } = {},
): PoolReading {
  const { ago = 0, ...rest } = more;
  const at = rest.at ?? noon - ago;
  const eventId = rest.eventId ?? `event-${at}-${capacity}-${required}`;
  return {
    type: required > 0 ? "capacity_demand" : "scale_down_opportunity",
    capacity,
    required,
    backend: "docker",
    hostSelector: {},
    order: `${new Date(at).toISOString().slice(0, 23)}000000Z#${eventId}`,
    ...rest,
    at,
    eventId,
  };
}

/** A reading that arrived for a pool. */
export interface Arrived {
  readonly pool: string;
  readonly reading: PoolReading;
}

/** Each pool's newest, as the ledger keeps them, whatever the order of arrival. */
export function newestByPool(arrived: readonly Arrived[]): Record<string, PoolReading> {
  const newest: Record<string, PoolReading> = {};
  for (const { pool, reading: incoming } of arrived) {
    if (arrival(newest[pool], incoming) === "newer") newest[pool] = incoming;
  }
  return newest;
}

/** Demands and scale-downs of up to four pools, some of them stale. */
export const arrivals: fc.Arbitrary<Arrived[]> = fc.uniqueArray(
  fc
    .record({
      pool: fc.constantFrom("pool_a", "pool_b", "pool_c", "pool_d"),
      ago: fc.integer({ min: 0, max: 25 * minute }),
      capacity: fc.integer({ min: 0, max: 60 }),
      missing: fc.integer({ min: 1, max: 40 }),
      isDemand: fc.boolean(),
    })
    .map(({ pool, ago, capacity, missing, isDemand }) => {
      const required = isDemand ? missing : -Math.min(missing, capacity + 1);
      return { pool, reading: reading(isDemand ? capacity : capacity + 1, required, { ago }) };
    }),
  { maxLength: 10, selector: ({ pool, reading: { at } }) => `${pool}@${at}` },
);
