import type { Chance } from "../chance.ts";

const minute = 60_000;

/** A time in which something holds, in milliseconds. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** How rough one seed is: what befalls calls, and how often something befalls hosts (mean time between, per world). */
export interface Hazards {
  /** Of every call, 0 to 1. */
  readonly mishap: number;
  readonly crash: number;
  /** Of every call that changes something at Zoomies, whose one database has other writers than us. */
  readonly writes: number;
  /** Milliseconds between two of a kind; undefined where the kind does not happen. */
  readonly people: number | undefined;
  readonly spot: number | undefined;
  readonly networks: number | undefined;
  /** Health checks that fail in groups with a hook for the end. */
  readonly health: number | undefined;
  /** Of every new machine. */
  readonly badMachine: number;
  /** Of every new machine: one that asks late and uses its token when Drover gives it up. */
  readonly tardy: number;
  /** When people begin to work on half of a group's hosts, in milliseconds since the beginning. */
  readonly maintenance: number | undefined;
  /** Since the beginning, like the other stretches: Drover does not run. */
  readonly downtimes: readonly Stretch[];
  /** No event reaches Drover, which runs all the same: a wrong secret, a firewall. */
  readonly deaf: readonly Stretch[];
  /** Zoomies' list of runners lacks rows that it counts. */
  readonly shortLists: readonly Stretch[];
  readonly events: { readonly lost: number; readonly duplicated: number; readonly delayed: number };
}

export function drawHazards(chance: Chance, loadMs: number): Hazards {
  const rough = chance.pick([0, 0.3, 1, 1, 2]);
  const sometimes = (probability: number, low: number, high: number) =>
    chance.is(probability) ? (chance.between(low, high) * minute) / Math.max(rough, 0.3) : undefined;
  const stretch = (probability: number, latest: number, low: number, high: number): Stretch[] => {
    const from = chance.between(0, latest) * loadMs;
    return chance.is(probability) ? [{ from, to: from + chance.between(low, high) * minute }] : [];
  };
  const mishap = 0.05 * rough * chance.random();
  return {
    mishap,
    crash: 0.01 * rough * chance.random(),
    writes: mishap > 0 && chance.is(0.6) ? chance.between(0.15, 0.5) : mishap,
    people: sometimes(0.6, 4, 15),
    spot: sometimes(0.5, 8, 25),
    networks: sometimes(0.4, 5, 20),
    health: chance.is(0.6) ? chance.between(4, 10) * minute : undefined,
    badMachine: 0.06 * rough,
    tardy: chance.is(0.3) ? 0.3 : 0,
    maintenance: chance.is(0.5) ? chance.between(0.05, 0.4) * loadMs : undefined,
    downtimes: stretch(0.3, 0.7, 3, 45),
    deaf: stretch(0.35, 0.4, 20, 40),
    shortLists: stretch(0.3, 0.8, 6, 12),
    events: { lost: 0.2 * rough * chance.random(), duplicated: 0.1 * rough, delayed: 0.1 * rough },
  };
}
