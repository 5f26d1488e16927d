import type { Group } from "../capacity/group.ts";
import { sparedMs } from "../interruption/notice.ts";
import type { HostsRecord } from "./host-notes.ts";
import type { InterruptionMarks } from "./interruption-marks.ts";

export interface InterruptionDecision {
  /** Hosts to uncordon: their instances were spared. */
  readonly giveBack: readonly { readonly instance: string; readonly hostId: string }[];
  /** Marks that are over without it: the instance is gone, somebody has uncordoned the host, or a drain of ours goes on with it. */
  readonly forget: readonly string[];
}

/** What becomes of cordons that notices of EC2 made. `hosts` are Zoomies' rows. */
export function decideInterruptions(
  marks: InterruptionMarks,
  group: Group,
  hosts: readonly { readonly id: string; readonly cordoned: boolean }[],
  { instances }: Pick<HostsRecord, "instances">,
  now: number,
): InterruptionDecision {
  const giveBack: { instance: string; hostId: string }[] = [];
  const forget: string[] = [];
  for (const [instance, { hostId, at }] of Object.entries(marks)) {
    const member = group.instances.find(({ id }) => id === instance);
    const host = hosts.find(({ id }) => id === hostId);
    // A mark is there before its cordon is: a moment is not long enough to call the host uncordoned by somebody.
    const isOld = now - at >= 60_000;
    if (member === undefined || host === undefined || (!host.cordoned && isOld)) {
      if (isOld) forget.push(instance);
    } else if (member.state === "InService" && host.cordoned && now - at >= sparedMs) {
      const { drain } = instances[instance] ?? {};
      if (drain === undefined || drain.phase === "uncordoning") giveBack.push({ instance, hostId });
      else forget.push(instance);
    }
  }
  return { giveBack, forget };
}
