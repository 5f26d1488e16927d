import type { Group } from "../capacity/group.ts";
import type { GroupLease } from "./group-lease.ts";
import type { ZoomiesView } from "./host-observation.ts";
import type { LifeParts } from "./host-parts.ts";
import { decideInterruptions } from "./interruption-decision.ts";
import { changeMarks, type InterruptionMarks, without } from "./interruption-marks.ts";

/** Gives back the hosts whose instances were spared, and forgets the marks that are over. */
export async function settleInterruptions(
  parts: LifeParts,
  lease: GroupLease,
  group: Group,
  zoomies: ZoomiesView,
  marks: InterruptionMarks,
): Promise<void> {
  const { giveBack, forget } = decideInterruptions(marks, group, zoomies.hosts, parts.clock.now());
  const over = [...forget];
  for (const { instance, hostId } of giveBack) {
    if (!(await lease.mayMutate())) break;
    await parts.life.hosts.cordon(hostId, false);
    const reasons = ["its instance was not taken"];
    await parts.trail.append({
      fleet: group.name,
      saw: { instance },
      decided: "uncordon",
      reasons,
      outcome: "given back",
    });
    over.push(instance);
  }
  if (over.length > 0) await changeMarks(parts.records, group.name, (known) => without(known, over));
}
