import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import type { Instance } from "../capacity/instances.ts";
import { errorFields } from "../edge/logger.ts";
import { agentOf, agentTags, isAgentInstance } from "./agent-instance.ts";
import { scalerOf, type TeardownParts } from "./parts.ts";
import { type Reaped, reapInstances } from "./reap-instances.ts";
import { type EmptyPlace, reapPlaces } from "./reap-places.ts";

export interface ReapRun {
  readonly instances: number;
  readonly ended: number;
  readonly adopted: number;
  readonly freed: number;
  readonly failed: number;
  readonly findings: number;
  /** Instances and places that this run had no time for; the next one begins with them. */
  readonly left: number;
}

/** Instances or places that are judged together: the most that one read of the ledger takes. */
const pageSize = 100;

/** Where a run stopped, so that the next goes on there: the order is by key, and turns round. */
export interface Cursor {
  read(): Promise<string>;
  write(at: string): Promise<void>;
}

/**
 * Cloud first, then ledger: every living instance is judged by its agent's record, then every place in the ledger that no
 * instance stands for. One page that fails does not shield the rest. `until` is when no further page is begun.
 */
export async function reap(parts: TeardownParts, cursor: Cursor, until: number): Promise<ReapRun> {
  // The complete list or an error: from a part of it nothing could be called gone (cases.md 67).
  const living = (await parts.instances.living({}, agentTags)).filter(isAgentInstance);
  const places = await emptyPlaces(living, parts);
  const work = [
    ...living.map((instance) => ({ key: `instance#${instance.id}`, instance })),
    ...places.map((place) => ({ key: `place#${place.scaler}#${place.agent}`, place })),
  ].sort((a, b) => (a.key < b.key ? -1 : 1));
  const at = await cursor.read();
  const queue = [...work.filter(({ key }) => key > at), ...work.filter(({ key }) => key <= at)];

  const done = { ended: 0, adopted: 0, freed: 0, failed: 0, findings: 0 };
  while (queue.length > 0 && parts.clock.now() < until) {
    const page = queue.splice(0, pageSize);
    try {
      const reaped = await reapInstances(
        parts,
        page.flatMap((each) => ("instance" in each ? [each.instance] : [])),
      );
      const { freed } = await reapPlaces(
        parts,
        page.flatMap((each) => ("place" in each ? [each.place] : [])),
      );
      count(done, reaped, freed);
    } catch (error) {
      parts.logger.log("error", "page failed", errorFields(error));
      countRefusal(parts.metrics, errorCode(error));
      done.failed += page.length;
    }
    const last = page.at(-1);
    if (queue.length > 0 && last !== undefined) await cursor.write(last.key);
  }
  return { instances: living.length, ...done, left: queue.length };
}

function count(
  done: { -readonly [K in keyof Reaped]: number } & { freed: number },
  reaped: Reaped,
  freed: number,
): void {
  done.ended += reaped.ended;
  done.adopted += reaped.adopted;
  done.failed += reaped.failed;
  done.findings += reaped.findings;
  done.freed += freed;
}

/** Every place in every scaler's sets of living agents for which there is no living instance. */
async function emptyPlaces(living: readonly Instance[], { liveSets }: TeardownParts): Promise<EmptyPlace[]> {
  const alive = new Set(living.map((instance) => JSON.stringify(agentOf(instance))));
  const empty: EmptyPlace[] = [];
  for (const set of await liveSets.sets()) {
    const scaler = scalerOf(set);
    for (const place of await liveSets.places(set)) {
      const name = { scaler, agent: place.name };
      if (!alive.has(JSON.stringify(name))) empty.push({ ...name, set, place });
    }
  }
  return empty;
}
