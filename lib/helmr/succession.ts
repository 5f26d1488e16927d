import type { Clock } from "../edge/clock.ts";
import type { Records } from "../ledger/records.ts";
import type { GroupHold } from "./group-hold.ts";

/** A newcomer's wish to go on with a Worker group. */
interface Wish {
  readonly by: string;
  readonly at: number;
}

const keyOf = (workerGroup: string) => ({ pk: `helmr-succession#${workerGroup}`, sk: "wish" });

/** Asks the holder to let go. A wish that another newcomer wrote at the same moment is as good. */
export async function askForSuccession(
  { records, clock }: { readonly records: Records; readonly clock: Clock },
  workerGroup: string,
  owner: string,
): Promise<void> {
  const key = keyOf(workerGroup);
  const before = await records.read<Wish>(key);
  const wish: Wish = { by: owner, at: clock.now() };
  if (before === undefined) await records.create(key, wish);
  else await records.replace(key, before, wish);
}

/** Whether a newcomer asked since the hold was taken, and still waits. */
export async function isAskedFor(
  { records, clock }: { readonly records: Records; readonly clock: Clock },
  workerGroup: string,
  { owner, since }: GroupHold,
  patienceMs: number,
): Promise<boolean> {
  const wish = (await records.read<Wish>(keyOf(workerGroup)))?.value;
  return wish !== undefined && wish.by !== owner && wish.at >= since && clock.now() - wish.at < patienceMs;
}
