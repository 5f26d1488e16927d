import { unsafeToShrink } from "../capacity/safety.ts";
import type { ShrinkFacts } from "../capacity/shrink.ts";
import type { GroupMemory } from "./group-memory.ts";
import { hasNothingToDo } from "./idle-clock.ts";
import type { Observation, ObservedPool } from "./observation.ts";
import { isPlanned } from "./plan-request.ts";
import type { Plan } from "./protocol.ts";

export interface DrainContext {
  readonly memory: GroupMemory;
  /** Why the plan is advisory only; empty when it is whole. */
  readonly advisory: readonly string[];
  /** Keys of scale-in operations that are not settled, by our ledger and by Helmr's pending receipt. */
  readonly unsettled: readonly string[];
  /** Why the Control Plane is not to be trusted with a new drain: a dirty schema, an unexpected revision. */
  readonly deployment: readonly string[];
  readonly now: number;
  readonly cooldownMs: number;
  readonly refusedScaleInMs: number;
}

/** The pool in which one host may start to drain, or every reason why there is none. */
export type DrainDecision =
  | { readonly pool: ObservedPool; readonly reasons: readonly string[] }
  | { readonly pool?: undefined; readonly reasons: readonly string[] };

/**
 * Where a scale-in may be asked for (the contract's list; invariants 15 to 19, 22, 32, 35). Of several pools the one
 * that has been idle longest. The Auto Scaling group's surroundings are checked apart, for that one pool.
 */
export function decideDrain(observation: Observation, plan: Plan | undefined, context: DrainContext): DrainDecision {
  const inGroup = groupReasons(observation, plan, context);
  if (plan === undefined || inGroup.length > 0) return { reasons: inGroup };
  const candidates: ObservedPool[] = [];
  const reasons: string[] = [];
  for (const observed of observation.pools) {
    const against = poolReasons(observed, plan, context);
    if (against.length === 0) candidates.push(observed);
    else reasons.push(...against.map((reason) => `${observed.pool.name}: ${reason}`));
  }
  const idleSince = ({ fleet }: ObservedPool) => context.memory.pools[fleet.group]?.idleSince ?? context.now;
  const [pool] = candidates.sort((a, b) => idleSince(a) - idleSince(b));
  return pool === undefined ? { reasons } : { pool, reasons: [`${pool.pool.name} has been idle long enough`] };
}

/** What forbids a new drain in the whole Worker group. */
function groupReasons(observation: Observation, plan: Plan | undefined, context: DrainContext): string[] {
  const { workerGroup, rows, pools } = observation;
  const { memory, now } = context;
  const reasons = [...context.deployment, ...context.advisory];
  const find = (isSo: boolean, reason: string) => {
    if (isSo) reasons.push(reason);
  };
  find(plan === undefined, "no plan");
  find(workerGroup.status !== "active", `the Worker group is ${workerGroup.status}`);
  if (plan !== undefined) {
    find(plan.group_status !== "active", `the plan's group is ${plan.group_status}`);
    find(!plan.complete, "the plan is partial");
    find(plan.unmatched_demand.length > 0, "demand is unmatched");
  }
  const count = (status: string) => rows.filter((row) => row.status === status).length;
  find(count("registering") > 0, "a host is registering");
  find(count("draining") > 0, "a host is draining");
  find(context.unsettled.length > 0, "a scale-in operation is not settled");
  for (const { fleet, unsettled, lags, inFlight } of pools) {
    find(inFlight > 0, `${fleet.group} has ${inFlight} hosts in flight`);
    find(unsettled.length > 0, `${fleet.group} is not settled: ${unsettled.join(", ")}`);
    find(lags, `${fleet.group} is described as it was before our terminate`);
  }
  const refused = memory.scaleInRefusedAt;
  find(refused !== undefined && now - refused < context.refusedScaleInMs, "Helmr refused a scale-in a moment ago");
  return reasons;
}

function poolReasons(observed: ObservedPool, plan: Plan, { memory, now, cooldownMs }: DrainContext): string[] {
  const { fleet, group, members, count, outside } = observed;
  const row = plan.pools.find(({ pool_id: id }) => id === observed.pool.id);
  if (!isPlanned(observed) || row === undefined) return [`the pool is ${observed.pool.status}`];
  const reasons: string[] = [];
  const find = (isSo: boolean, reason: string) => {
    if (isSo) reasons.push(reason);
  };
  find(fleet.scaleIn !== "verified", "scale-in is off");
  find(fleet.paused, "the group is tagged as paused");
  // Stuck machines count towards desired capacity and serve nobody: the minimum is one of active hosts too.
  find(count.active <= group.min, `${count.active} active hosts for MinSize ${group.min}`);
  find(!hasNothingToDo(plan, row), "there is work, or the plan is not sure that there is none");
  const { idleSince, lastRaise } = memory.pools[fleet.group] ?? {};
  const isIdle = idleSince !== undefined && now - idleSince >= fleet.idleMinutes * 60_000;
  find(!isIdle, `not idle for ${fleet.idleMinutes} minutes`);
  const launches = members.map(({ instance }) => memory.seen[instance.id]?.since ?? now);
  const raisedAt = lastRaise === undefined || lastRaise.outcome === "refused" ? Number.NEGATIVE_INFINITY : lastRaise.at;
  const lastLaunch = Math.max(raisedAt, ...launches);
  find(now - lastLaunch < cooldownMs, "a host was launched a moment ago");
  // Refused here, before the drain: a drained host below MinSize could not leave (invariant 22).
  find(group.desired <= group.min, `desired capacity is at MinSize ${group.min}`);
  find(outside.length > 0, "hosts outside the group: Helmr could select one that we cannot end");
  find(count.foreign > 0, "another pool's host runs in the group");
  return reasons;
}

/** What the group's surroundings say against ending any instance in it, checked before a drain and again before the end. */
export function surroundingsReasons(observed: Pick<ObservedPool, "group">, facts: ShrinkFacts): string[] {
  return unsafeToShrink(observed.group, facts).map(({ code }) => code);
}
