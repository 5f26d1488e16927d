import type { Operations } from "../ledger/operations.ts";
import type { Stored } from "../ledger/records.ts";
import { type DrainDetail, type DrainOperation, type DrainPhase, isFinished } from "./drain-operation.ts";
import { type MemoryKeeper, MemoryTaken } from "./group-memory.ts";

export const operationFleet = (workerGroup: string): string => `helmr#${workerGroup}`;

/**
 * The operations of one Worker group that are not finished. Each is named in the group's memory before it is begun, so
 * that a crash loses none, and none has to be searched among the finished ones of 30 days.
 */
export interface OpenOperations {
  all(): readonly DrainOperation[];
  find(key: string): DrainOperation | undefined;
  /** Records the intent (design: rule 2; invariant 6). A key that was used before comes back as it was left. */
  begin(key: string, phase: DrainPhase, detail: DrainDetail): Promise<DrainOperation>;
  /** Throws {@link MemoryTaken} when somebody else has moved it. */
  advance(key: string, change: { phase?: DrainPhase; detail?: Partial<DrainDetail> }): Promise<DrainOperation>;
}

export async function openOperations(
  operations: Operations<DrainPhase, DrainDetail>,
  memory: MemoryKeeper,
  workerGroup: string,
  owner: string,
): Promise<OpenOperations> {
  const fleet = operationFleet(workerGroup);
  const open = new Map<string, Stored<DrainOperation>>();
  for (const key of memory.value.open) {
    const stored = await operations.find(fleet, key);
    if (stored !== undefined && !isFinished(stored.value.phase)) open.set(key, stored);
  }
  // Named and never begun, or finished and still named: a crash came between.
  await nameOpen();

  async function nameOpen(): Promise<void> {
    await memory.save({ open: [...open.keys()] });
  }

  return {
    all: () => [...open.values()].map(({ value }) => value),
    find: (key) => open.get(key)?.value,
    async begin(key, phase, detail) {
      await memory.save({ open: [...new Set([...open.keys(), key])] });
      const started = await operations.start({ fleet, key, phase, owner, ownedUntil: 0, detail });
      let { stored } = started;
      if (stored === undefined) throw new MemoryTaken("An operation vanished while it was begun.");
      if (isFinished(stored.value.phase)) {
        // Given up once, and Helmr has it after all: it goes on from where Helmr is.
        const revived = await operations.advance(stored, { phase, owner, detail });
        if (revived.outcome !== "written") throw new MemoryTaken("Another writer drives this operation.");
        stored = revived.stored;
      }
      open.set(key, stored);
      return stored.value;
    },
    async advance(key, { phase, detail }) {
      const stored = open.get(key);
      if (stored === undefined) throw new MemoryTaken("The operation is not open.");
      const change = {
        owner,
        ...(phase === undefined ? {} : { phase }),
        ...(detail === undefined ? {} : { detail: { ...stored.value.detail, ...detail } }),
      };
      const finished = phase !== undefined && isFinished(phase);
      const written = await operations.advance(stored, change, { finished });
      if (written.outcome !== "written") throw new MemoryTaken("Another writer drives this operation.");
      if (finished) {
        open.delete(key);
        await nameOpen();
      } else open.set(key, written.stored);
      return written.stored.value;
    },
  };
}
