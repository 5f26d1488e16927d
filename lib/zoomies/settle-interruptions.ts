import type { ZoomiesView } from "./host-observation.ts";
import { decideInterruptions } from "./interruption-decision.ts";
import { changeMarks, type InterruptionMarks, without } from "./interruption-marks.ts";
import type { Performing } from "./perform-host-action.ts";

/** Gives back the hosts whose instances were spared, and forgets the marks that are over. */
export async function settleInterruptions(
  doing: Performing,
  zoomies: ZoomiesView,
  marks: InterruptionMarks,
): Promise<void> {
  const { parts, lease, observation } = doing;
  const { group, record } = observation;
  const { giveBack, forget } = decideInterruptions(marks, group, zoomies.hosts, record, parts.clock.now());
  const over = [...forget];
  for (const { instance, hostId } of giveBack) {
    if (!(await lease.mayMutate())) break;
    const reason = "its instance was not taken";
    const effect = await parts.life.acts.perform(doing, { kind: "uncordon", instance, hostId, reason });
    const line = { saw: { instance, host: hostId }, decided: "uncordon", reasons: [reason], outcome: effect.said };
    const entry = { fleet: group.name, ...line };
    await (effect.observed ? parts.trail.appendChange(`spared#${instance}`, entry) : parts.trail.append(entry));
    if (!effect.observed && !effect.failed) over.push(instance);
  }
  if (over.length > 0) await changeMarks(parts.records, group.name, (known) => without(known, marks, over));
}
