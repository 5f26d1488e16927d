import { type ZoomiesFleet, zoomiesFleet, zoomiesPoolTag } from "../capacity/group-fleet.ts";
import type { Refusal } from "../edge/http-answer.ts";
import { type HostsRecord, hostsKey } from "./host-notes.ts";
import type { JoinParts } from "./join-parts.ts";
import { type JoinRecord, joinKey } from "./join-record.ts";

export type JoinPlace =
  /** `reason` is why it may join. */
  | { readonly fleet: ZoomiesFleet; readonly reason: string; readonly refusal?: undefined }
  /** `group` where the instance is in one of ours. */
  | { readonly refusal: Refusal; readonly group?: string };

const refused = (status: number, code: string, message: string, group?: string): JoinPlace => ({
  refusal: { status, code, message },
  ...(group === undefined ? {} : { group }),
});

/**
 * Whether an instance may join now: in a group of ours, and waiting in its launch hook, or, where the group has no launch
 * hook, younger than the join deadline. Its age runs from when Drover first saw it or heard of it.
 */
export async function joinPlace(parts: JoinParts, instance: string): Promise<JoinPlace> {
  const member = await parts.members.of(instance);
  const group = member === undefined ? undefined : await parts.groups.named(member.group);
  if (member === undefined || group === undefined) {
    return refused(404, "not_in_a_group", `${instance} is in no Auto Scaling group of this stack.`);
  }
  // First of all: a group of Helmr's lacks what a Zoomies group must have, and that is no mistake.
  if (!Object.keys(group.tags).some((tag) => tag.startsWith(zoomiesPoolTag))) {
    return refused(404, "no_pool", `${group.name} carries no ${zoomiesPoolTag} tag, so its hosts join nothing.`);
  }
  const { fleet, findings } = zoomiesFleet(group);
  if (fleet === undefined)
    return refused(422, "bad_tags", findings.map(({ message, fix }) => `${message} ${fix}`).join(" "), group.name);
  if (fleet.paused) {
    const message = `${group.name} carries drover:paused, so no token is minted for its instances. Ask again.`;
    return refused(503, "group_paused", message, group.name);
  }
  if (member.state === "Pending:Wait") return { fleet, reason: "it waits in its launch hook" };
  // Its hook has not begun, or it is not in service yet: a moment later it may be either.
  if (member.state === "Pending") return refused(425, "still_pending", `${instance} is still pending. Ask again.`);
  if (member.state !== "InService" && member.state !== "Pending:Proceed") {
    return refused(410, "leaving", `${instance} is in state ${member.state} and joins no more.`, group.name);
  }
  if ((await parts.hooks.of(group.name)).some(({ transition }) => transition === "launching")) {
    return refused(410, "left_the_hook", `${instance} is past its launch hook, in which hosts join.`, group.name);
  }
  const age = parts.clock.now() - (await firstSeen(parts, group.name, instance));
  if (age >= parts.joinDeadlineMs) {
    return refused(
      410,
      "too_late",
      `${instance} did not join within ${parts.joinDeadlineMs / 60_000} minutes.`,
      group.name,
    );
  }
  return { fleet, reason: "it is young, and its group has no launch hook" };
}

async function firstSeen({ records, clock }: JoinParts, group: string, instance: string): Promise<number> {
  const [hosts, join] = await records.readAll<unknown>([hostsKey(group), joinKey(instance)]);
  const seenAt = (hosts?.value as HostsRecord | undefined)?.instances[instance]?.seenAt;
  const askedAt = (join?.value as JoinRecord | undefined)?.firstAskedAt;
  return Math.min(seenAt ?? clock.now(), askedAt ?? clock.now());
}
