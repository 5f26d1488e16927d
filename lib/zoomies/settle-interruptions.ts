import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import { errorFields } from "../edge/logger.ts";
import type { Stored } from "../ledger/records.ts";
import type { ZoomiesView } from "./host-observation.ts";
import { decideInterruptions } from "./interruption-decision.ts";
import { changeMarks, type InterruptionMarks, interruptionsKey, without } from "./interruption-marks.ts";
import { type Done, performAll } from "./perform-all.ts";
import type { Performing } from "./perform-host-action.ts";

const reason = "its instance was not taken";

/** Gives back the hosts whose instances were spared, and forgets the marks that are over. */
export async function settleInterruptions(
  doing: Performing,
  zoomies: ZoomiesView,
  marks: InterruptionMarks,
): Promise<Done[]> {
  const { parts, observation } = doing;
  const { group, record } = observation;
  const { giveBack, forget } = decideInterruptions(marks, group, zoomies.hosts, record, parts.clock.now());
  const done = await performAll(
    doing,
    giveBack.map(({ instance, hostId }) => ({ kind: "uncordon", instance, hostId, reason })),
  );
  const over = [...forget];
  for (const { action, effect } of done) {
    const { instance } = action;
    const saw = { instance, ...("hostId" in action ? { host: action.hostId } : {}) };
    const entry = { fleet: group.name, saw, decided: "uncordon", reasons: [reason], outcome: effect.said };
    // What is tried or only observed again and again is told once; a host that was given back, each time.
    const isDone = !effect.observed && !effect.failed;
    if (isDone) over.push(instance);
    await (isDone ? parts.trail.append(entry) : parts.trail.appendChange(`spared#${instance}`, entry));
  }
  if (over.length > 0) await changeMarks(parts.records, group.name, (known) => without(known, marks, over));
  return done;
}

/**
 * Takes back what was given back while a notice came in: it was answered from a host that was still cordoned, or by a cordon that our
 * uncordon then undid. `read` are the marks that the look began with; a mark that was read says nothing new.
 */
export async function cordonAgain(doing: Performing, done: readonly Done[], read: InterruptionMarks): Promise<void> {
  const { parts, observation } = doing;
  const given = done.filter(({ action, effect }) => action.kind === "uncordon" && !effect.observed);
  if (given.length === 0) return;
  const stored: Stored<InterruptionMarks> | undefined = await parts.records.read(
    interruptionsKey(observation.group.name),
  );
  for (const { action } of given) {
    const { instance } = action;
    const mark = stored?.value[instance];
    if (mark === undefined || mark.at === read[instance]?.at) continue;
    try {
      await parts.life.hosts.cordon(mark.hostId, true);
      parts.logger.log("info", "host", { kind: "cordon", instance, reason: "a notice came meanwhile" });
    } catch (error) {
      parts.logger.log("error", "unanswered", { kind: "cordon", instance, ...errorFields(error) });
      countRefusal(parts.metrics, errorCode(error), { Fleet: observation.group.name });
    }
  }
}
