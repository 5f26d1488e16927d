import type { World } from "../world.ts";
import type { Group, Member } from "./group.ts";
import { globalTimeout, type HookWait, type Transition } from "./hook.ts";
import { moveMember } from "./member.ts";

type Result = "CONTINUE" | "ABANDON";

/** Puts the member into its Wait state when the group has hooks for this transition; false when it has none. */
export function holdInHooks(
  world: World,
  group: Group,
  member: Member,
  transition: Transition,
  afterWaits: (result: Result) => void,
): boolean {
  const hooks = [...group.hooks.values()].filter((hook) => hook.transition === transition);
  if (hooks.length === 0) return false;
  const now = world.now();
  member.waits = hooks.map((hook) => ({
    hook,
    token: world.newUuid(),
    deadline: now + hook.heartbeatTimeout * 1000,
    limit: now + globalTimeout(hook) * 1000,
  }));
  member.afterWaits = afterWaits;
  const launching = transition === "autoscaling:EC2_INSTANCE_LAUNCHING";
  moveMember(world, group, member, launching ? "Pending:Wait" : "Terminating:Wait", "held by a lifecycle hook");
  for (const wait of member.waits) {
    announce(world, group, member, wait, "waiting", "auto-scaling");
    watchDeadline(world, group, member, wait);
  }
  return true;
}

/** Ends one lifecycle action. CONTINUE waits for the other hooks; ABANDON ends them all. */
export function completeWait(
  world: World,
  group: Group,
  member: Member,
  wait: HookWait,
  result: Result,
  actor: string,
): void {
  announce(world, group, member, wait, actor === "timeout" ? "timed-out" : result, actor);
  member.waits = result === "ABANDON" ? [] : member.waits.filter((other) => other !== wait);
  if (member.waits.length > 0) return;
  const { afterWaits } = member;
  delete member.afterWaits;
  afterWaits?.(result);
}

/** Restarts the action's timeout, never beyond its global end. */
export function extendWait(world: World, group: Group, member: Member, wait: HookWait, actor: string): void {
  wait.deadline = Math.min(wait.limit, world.now() + wait.hook.heartbeatTimeout * 1000);
  announce(world, group, member, wait, "heartbeat", actor);
}

/** Drops all actions without a result, as when the member is terminated by other means while it waits. */
export function dropWaits(member: Member): void {
  member.waits = [];
  delete member.afterWaits;
}

function watchDeadline(world: World, group: Group, member: Member, wait: HookWait): void {
  const planned = wait.deadline;
  world.at(planned, () => {
    if (!member.waits.includes(wait)) return;
    if (wait.deadline > planned) watchDeadline(world, group, member, wait);
    else completeWait(world, group, member, wait, wait.hook.defaultResult, "timeout");
  });
}

function announce(
  world: World,
  group: Group,
  member: Member,
  wait: HookWait,
  outcome: "waiting" | "heartbeat" | "timed-out" | Result,
  actor: string,
): void {
  const { name: hook, transition } = wait.hook;
  world.emit({
    type: "lifecycle-hook",
    group: group.name,
    instanceId: member.instanceId,
    hook,
    transition,
    outcome,
    actor,
  });
}
