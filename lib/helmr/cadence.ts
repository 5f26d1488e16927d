import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import { errorFields } from "../edge/logger.ts";
import { ControlPlaneUnauthorized } from "./control-plane.ts";
import { type GroupHold, HoldLost, takeHold } from "./group-hold.ts";
import { MemoryTaken } from "./group-memory.ts";
import type { HintWaiter } from "./hints.ts";
import type { HelmrParts } from "./parts.ts";
import { CapacityPaused } from "./pause.ts";
import { reconcileGroup } from "./reconcile-group.ts";
import { openSession, type Session } from "./session.ts";
import { askForSuccession, isAskedFor } from "./succession.ts";

export interface Served {
  /**
   * `served` to the end of the budget or until a newcomer asked; `held` by another invocation throughout; `lost` to another
   * one while it was served; `failed` when the last cycle did.
   */
  readonly outcome: "served" | "held" | "lost" | "failed";
  readonly cycles: number;
}

type CycleEnd = "done" | "again" | "paused" | "failed" | "lost";

/** How often, at least, the holder looks whether a newcomer waits. */
const looksPerCycle = 3;
const never = new AbortController().signal;

/**
 * Serves one Worker group until `until`: a cycle now, then every {@link HelmrSettings.cycleMs}, and sooner when the update
 * stream hints or a cycle asks for it. One holder at a time; a newcomer asks, and the holder lets go between cycles. With `once`
 * there is one cycle, and none while somebody else holds the group: ticks that meet are one (the next comes soon).
 */
export async function serveGroup(
  parts: HelmrParts,
  name: string,
  hinted: HintWaiter,
  until: number,
  once = false,
): Promise<Served> {
  const owner = parts.newToken();
  const hold = once
    ? await takeHold(parts, name, owner, parts.settings.leaseMs)
    : await succeed(parts, name, owner, until);
  if (hold === undefined) return { outcome: "held", cycles: 0 };
  let cycles = 0;
  let last: CycleEnd = "done";
  try {
    let session: Session | undefined;
    while (parts.clock.now() < until && last !== "lost") {
      const began = parts.clock.now();
      hinted.heard();
      cycles += 1;
      last = await guarded(parts, name, async () => {
        session ??= await openSession(parts, name, hold);
        return reconcileGroup(parts, session);
      });
      // What a failed cycle left in memory may not be what the ledger holds.
      if (last === "failed" || last === "paused") session = undefined;
      if (once) break;
      if (last !== "lost" && (await restUntilNext(parts, name, hold, hinted, began, last, until))) break;
    }
  } finally {
    await hold.release().catch((error: unknown) => {
      parts.logger.log("warn", "lease not released", errorFields(error));
    });
  }
  return { outcome: last === "failed" || last === "lost" ? last : "served", cycles };
}

/** Takes the group, or asks its holder for it and waits a while. */
async function succeed(parts: HelmrParts, name: string, owner: string, until: number): Promise<GroupHold | undefined> {
  const { settings, clock } = parts;
  const patience = Math.min(clock.now() + settings.successionMs, until);
  const hold = await takeHold(parts, name, owner, settings.leaseMs);
  if (hold !== undefined) return hold;
  await askForSuccession(parts, name, owner);
  while (clock.now() < patience) {
    await parts.wait(settings.successionLookMs, never);
    const succeeded = await takeHold(parts, name, owner, settings.leaseMs);
    if (succeeded !== undefined) return succeeded;
  }
  return undefined;
}

async function guarded(
  parts: HelmrParts,
  name: string,
  cycle: () => Promise<{ readonly again: boolean }>,
): Promise<CycleEnd> {
  try {
    return (await cycle()).again ? "again" : "done";
  } catch (error) {
    if (error instanceof CapacityPaused) {
      parts.logger.log("info", "paused");
      return "paused";
    }
    if (error instanceof HoldLost || error instanceof MemoryTaken) {
      parts.logger.log("warn", "group lost", errorFields(error));
      return "lost";
    }
    parts.logger.log("error", "cycle failed", errorFields(error));
    const isRefused = error instanceof ControlPlaneUnauthorized;
    countRefusal(parts.metrics, errorCode(error), { Fleet: name }, isRefused);
    return "failed";
  }
}

/** Waits for the next cycle; true when the group is to be let go instead. */
async function restUntilNext(
  parts: HelmrParts,
  name: string,
  hold: GroupHold,
  hinted: HintWaiter,
  began: number,
  last: CycleEnd,
  until: number,
): Promise<boolean> {
  const { settings, clock } = parts;
  const soonest = began + settings.leastCycleMs;
  const next = Math.min(last === "again" ? soonest : began + settings.cycleMs, until);
  for (;;) {
    if (await isAskedFor(parts, name, hold, settings.successionMs).catch(() => false)) return true;
    const now = clock.now();
    if (now >= next || (hinted.isHinted && now >= soonest)) return false;
    if (hinted.isHinted) await parts.wait(Math.min(soonest, next) - now, never);
    else await parts.wait(Math.min(next - now, settings.cycleMs / looksPerCycle), hinted.signal());
  }
}
