import type { InstanceNotes } from "./host-notes.ts";
import type { HostAction } from "./host-observation.ts";

/** Instances of which a notice of EC2's stands: they are about to be taken, or may be. */
export type Noticed = ReadonlySet<string>;

/** A host is not given back while a notice of its instance stands: the drain that turned back waits for what becomes of it. */
export const withoutWayBack = (actions: readonly HostAction[], noticed: Noticed): readonly HostAction[] =>
  actions.filter(({ kind, instance }) => kind !== "uncordon" || !noticed.has(instance));

/** The notes for counting supply: since demand cannot bring such a host back, its drain does not make it count. */
export function withoutDrains(
  notes: ReadonlyMap<string, InstanceNotes>,
  noticed: Noticed,
): ReadonlyMap<string, InstanceNotes> {
  if (noticed.size === 0) return notes;
  return new Map(
    Array.from(notes, ([instance, own]) => {
      const { drain: _cordon, ...rest } = own;
      return [instance, noticed.has(instance) ? rest : own] as const;
    }),
  );
}
