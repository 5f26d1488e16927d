import type { Cloud } from "../../../infra/local/aws/cloud.ts";
import type { Controller } from "../../../infra/local/zoomies/controller.ts";
import type { Table } from "../../../lib/ledger/table.ts";
import { type HostsRecord, hostsKey, type InstanceNotes } from "../../../lib/zoomies/host-notes.ts";
import type { Chance } from "../chance.ts";
import type { Stage } from "../runner.ts";
import type { Drover } from "./drover.ts";
import type { Stretch } from "./hazards.ts";
import type { Machine } from "./machines.ts";
import type { Setting } from "./setting.ts";

/** One seed's world, as its parts act on one another. */
export interface ZoomiesStage extends Stage {
  readonly setting: Setting;
  readonly cloud: Cloud;
  readonly controller: Controller;
  /** Zoomies' own clock. */
  controllerNow(): number;
  readonly drover: Drover;
  /** When the load ends; from then on nothing more goes wrong. */
  readonly calmAt: number;
  /** Who cordoned or uncordoned a host last, by host id. */
  readonly cordonedBy: Map<string, { readonly by: "drover" | "a person"; readonly at: number }>;
  /** When the minute runs began that came to all groups, and those of them that did all they had to do. */
  readonly wholeRuns: number[];
  readonly soundRuns: number[];
  /** Until when no other work comes in for a group, by its name. */
  readonly quietUntil: Map<string, number>;
  /** When groups were or are not to be shrunk. */
  readonly handsOff: HandsOff[];
}

/** A time in which a group must not be shrunk, or, while it is paused, nothing at all may be done about it. */
export interface HandsOff extends Stretch {
  readonly group: string;
  readonly paused: boolean;
}

export const isQuiet = ({ quietUntil, time }: ZoomiesStage, group: string): boolean =>
  time.now() < (quietUntil.get(group) ?? 0);

/** Whether a group is paused, or was at any time since then. */
export const wasPaused = ({ handsOff, time }: ZoomiesStage, name: string, since = time.now()): boolean =>
  handsOff.some(({ group, paused, to }) => paused && group === name && to > since);

export const isCalm = ({ time, calmAt }: Pick<ZoomiesStage, "time" | "calmAt">): boolean => time.now() >= calmAt;

/** Does something again and again until the calm, after times drawn around a mean of `meanMs`. */
export function nowAndThen(stage: ZoomiesStage, chance: Chance, meanMs: number | undefined, act: () => void): void {
  if (meanMs === undefined) return;
  const again = () => {
    stage.time.after(meanMs * chance.between(0.2, 1.8), () => {
      if (isCalm(stage)) return;
      act();
      again();
    });
  };
  again();
}

/** What Drover knows of a machine, as its ledger has it. */
export async function notesOf({ group, id }: Machine, table: Table): Promise<InstanceNotes | undefined> {
  const [item] = await table.get([hostsKey(group)]);
  return item === undefined ? undefined : (JSON.parse(item.body) as HostsRecord).instances[id];
}
