import type { Clock } from "../edge/clock.ts";
import type { Records } from "../ledger/records.ts";
import type { ControlPlane } from "./control-plane.ts";

/** An operator's word that Drover leaves a Worker group alone, for the rotation of the token first of all (the contract). */
export interface Pause {
  readonly isPaused: boolean;
  /** Why, in the operator's words. */
  readonly reason: string;
  /** When it was set or lifted, milliseconds since the epoch. */
  readonly at: number;
}

export interface Pauses {
  /** The Worker group's pause, by the group's name; undefined while nobody has ever set one. */
  read(workerGroup: string): Promise<Pause | undefined>;
  isPaused(workerGroup: string): Promise<boolean>;
  /** Sets or lifts it. What another operator writes at the same moment is overwritten: the last word counts. */
  set(workerGroup: string, isPaused: boolean, reason: string): Promise<Pause>;
}

const keyOf = (workerGroup: string) => ({ pk: `helmr-pause#${workerGroup}`, sk: "pause" });
const tries = 3;

export function ledgerPauses(records: Records, clock: Clock): Pauses {
  const read = async (workerGroup: string) => (await records.read<Pause>(keyOf(workerGroup)))?.value;
  return {
    read,
    isPaused: async (workerGroup) => (await read(workerGroup))?.isPaused === true,
    async set(workerGroup, isPaused, reason) {
      const key = keyOf(workerGroup);
      const pause: Pause = { isPaused, reason, at: clock.now() };
      let before = await records.read<Pause>(key);
      for (let attempt = 0; attempt < tries; attempt += 1) {
        const written =
          before === undefined ? await records.create(key, pause) : await records.replace(key, before, pause);
        if (written.outcome === "written") return pause;
        before = written.stored;
      }
      throw new Error(`The pause of ${workerGroup} is being changed by others; read it and try again.`);
    },
  };
}

/** The Worker group is paused: nothing was sent. */
export class CapacityPaused extends Error {
  override readonly name = "CapacityPaused";
}

/** The same Control Plane, asked nothing while the Worker group is paused: the flag is read before each request. */
export function unlessPaused(controlPlane: ControlPlane, isPaused: () => Promise<boolean>): ControlPlane {
  return new Proxy(controlPlane, {
    get(target, name) {
      const operation: unknown = Reflect.get(target, name, target);
      if (typeof operation !== "function") return operation;
      return async (...parameters: unknown[]): Promise<unknown> => {
        if (await isPaused())
          throw new CapacityPaused("The Worker group is paused by an operator; resume it to go on.");
        return operation.apply(target, parameters);
      };
    },
  });
}
