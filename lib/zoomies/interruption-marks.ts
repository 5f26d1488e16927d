import type { Records, Stored } from "../ledger/records.ts";

/** A host that was cordoned because EC2 gave notice of its instance: the cordon is ours to undo. */
export interface InterruptionMark {
  readonly hostId: string;
  /** When the notice was answered, milliseconds since the epoch. */
  readonly at: number;
  readonly kind: string;
}

/** By instance, one item a group: a set by name and no counter, so that a notice that comes twice changes nothing. */
export type InterruptionMarks = Readonly<Record<string, InterruptionMark>>;

export const interruptionsKey = (group: string) => ({ pk: `interruptions#${group}`, sk: "record" });

/** Writes what `next` makes of the marks, over whatever others write at the same time; nothing when it gives undefined. */
export async function changeMarks(
  records: Records,
  group: string,
  next: (marks: InterruptionMarks) => InterruptionMarks | undefined,
): Promise<void> {
  const key = interruptionsKey(group);
  let stored: Stored<InterruptionMarks> | undefined = await records.read<InterruptionMarks>(key);
  for (;;) {
    const value = next(stored?.value ?? {});
    if (value === undefined) return;
    const written = stored === undefined ? await records.create(key, value) : await records.replace(key, stored, value);
    if (written.outcome === "written") return;
    stored = written.stored;
  }
}

/** The marks without those of the instances that still are the ones in `read`: a newer notice's stays. */
export const without = (
  marks: InterruptionMarks,
  read: InterruptionMarks,
  instances: readonly string[],
): InterruptionMarks =>
  Object.fromEntries(
    Object.entries(marks).filter(([instance, { at }]) => !instances.includes(instance) || read[instance]?.at !== at),
  );
