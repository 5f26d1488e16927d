import { absentHosts } from "./absence.ts";
import { type DrainDecision, decideDrain } from "./drain-decision.ts";
import type { DrainDetail, DrainOperation } from "./drain-operation.ts";
import { decideEnding, type EndingStep } from "./ending-decision.ts";
import type { GroupMemory } from "./group-memory.ts";
import { drainClaim } from "./identify.ts";
import type { Member, Observation, ObservedPool } from "./observation.ts";
import type { HelmrSettings } from "./parts.ts";
import type { Plan, ScaleInReceipt, WorkerHost } from "./protocol.ts";
import { decideRaise, type RaiseDecision } from "./raise-decision.ts";

/** Everything that a cycle decides from. */
export interface DecisionInput {
  readonly observation: Observation;
  /** This cycle's plan; undefined when there is none. */
  readonly plan: Plan | undefined;
  readonly advisory: readonly string[];
  readonly memory: GroupMemory;
  /** Open operations, each with the receipt of its key where Helmr has one. */
  readonly operations: readonly { readonly operation: DrainOperation; readonly receipt: ScaleInReceipt | undefined }[];
  /** Helmr's outstanding operation. */
  readonly pending: ScaleInReceipt | undefined;
  readonly absent: ReadonlySet<string>;
  readonly deployment: readonly string[];
  readonly now: number;
}

export interface PoolRaise extends RaiseDecision {
  readonly pool: ObservedPool;
}

/** One instance to end, of an operation that is open or one that is begun with it. */
export interface EndOrder {
  readonly key: string;
  readonly by: "terminate" | "hook";
  readonly detail: DrainDetail;
}

export interface Decision {
  readonly steps: readonly { readonly operation: DrainOperation; readonly step: EndingStep }[];
  readonly raises: readonly PoolRaise[];
  readonly drain: DrainDecision;
  /** Hosts whose instance is confirmed absent, to be reported. */
  readonly lost: readonly WorkerHost[];
  /** What may be tried at the provider, in this order; the first that is sent is the cycle's only one (invariant 23). */
  readonly ends: readonly EndOrder[];
  readonly raise?: PoolRaise & { readonly to: number };
}

/**
 * What one cycle does about one Worker group, and why not more (design: rule 1). Ending what is proven comes before a
 * raise, because it ends by itself; a raise before a new drain, because somebody waits for it. No drain starts in a cycle
 * that changes anything at the provider.
 */
export function decide(input: DecisionInput, settings: HelmrSettings): Decision {
  const { observation, plan, memory, operations, absent, now } = input;
  const steps = operations.map(({ operation, receipt }) => {
    const facts = factsOf(operation, receipt, input);
    return { operation, step: decideEnding(operation, facts, settings.doubtMs) };
  });
  const raises = observation.pools.map((pool): PoolRaise => {
    const row = plan?.pools.find(({ pool_id: id }) => id === pool.pool.id);
    const status = plan?.group_status === "active" ? observation.workerGroup.status : (plan?.group_status ?? "unknown");
    const { lastRaise } = memory.pools[pool.fleet.group] ?? {};
    const is = { now, describeLagMs: settings.describeLagMs };
    return { pool, ...decideRaise(pool, row, status, lastRaise, is) };
  });
  const ends = endOrders(steps, input);
  const raise = nextRaise(raises, memory);
  const unsettled = [
    ...steps.filter(({ operation }) => operation.phase !== "intended").map(({ operation }) => operation.key),
    ...(input.pending === undefined ? [] : [input.pending.operation_key]),
  ];
  const { advisory, deployment } = input;
  const { cooldownMs, refusedScaleInMs } = settings;
  const idle = decideDrain(observation, plan, {
    memory,
    advisory,
    unsettled,
    deployment,
    now,
    cooldownMs,
    refusedScaleInMs,
  });
  const busy = ends.length > 0 || raise !== undefined;
  return {
    steps,
    raises,
    drain: busy && idle.pool !== undefined ? { reasons: ["this cycle changes something at the provider"] } : idle,
    lost: absentHosts(observation, absent),
    ends,
    ...(raise === undefined ? {} : { raise }),
  };
}

function factsOf(operation: DrainOperation, receipt: ScaleInReceipt | undefined, input: DecisionInput) {
  const { observation, absent, now } = input;
  const { group, instance = "", hostId } = operation.detail;
  const pool = observation.pools.find(({ fleet }) => fleet.group === group);
  const rows = [observation.hostOf.get(instance), ...observation.rows, ...observation.strays];
  const host = rows.find((row) => row !== undefined && row.id === hostId);
  return {
    receipt,
    host,
    drainingSince: host?.draining_at === undefined ? undefined : Date.parse(host.draining_at),
    member: pool?.members.find((member) => member.instance.id === instance)?.instance,
    ec2: observation.instances.get(instance),
    isAbsent: absent.has(instance),
    drainMs: (pool?.fleet.drainMinutes ?? 30) * 60_000,
    now,
  };
}

/** The ends that may be tried: of open operations, then of hosts that others have drained. */
function endOrders(steps: Decision["steps"], input: DecisionInput): EndOrder[] {
  const { pools } = input.observation;
  const orders: EndOrder[] = [];
  for (const { operation, step } of steps) {
    const { detail } = operation;
    const pool = pools.find(({ fleet }) => fleet.group === detail.group);
    if (step.do === "end" && pool !== undefined && mayEnd(pool, step.by, detail.decrement)) {
      orders.push({ key: operation.key, by: step.by, detail });
    }
  }
  const known = new Set(input.operations.flatMap(({ operation }) => operation.detail.hostId ?? []));
  for (const pool of pools) {
    for (const member of pool.members) {
      const order = otherEnd(pool, member, known, input);
      if (order !== undefined) orders.push(order);
    }
  }
  return orders;
}

/** Whether an end would be allowed by sizes and tags; its proof is another matter. */
function mayEnd({ fleet, group }: ObservedPool, by: EndOrder["by"], decrement: boolean): boolean {
  return !fleet.paused && (by === "hook" || !decrement || group.desired > group.min);
}

/**
 * The end of a host that an operator or the interruption path drained, without a receipt: with decrement, unless it is to
 * be replaced. A host that scale-in may have chosen under an operation that is not settled is left to that operation
 * (invariant 2).
 */
function otherEnd(
  pool: ObservedPool,
  { instance, host }: Member,
  known: ReadonlySet<string>,
  input: DecisionInput,
): EndOrder | undefined {
  const isWaiting = instance.state === "Terminating:Wait";
  if (host?.status !== "termination_ready" || host.worker_pool_id !== pool.pool.id || known.has(host.id))
    return undefined;
  if (instance.state !== "InService" && !isWaiting) return undefined;
  // Its absence is settled in this cycle: an operation begun now would never see it again.
  if (input.absent.has(instance.id)) return undefined;
  const isOpen =
    input.pending !== undefined || input.operations.some(({ operation: { detail } }) => detail.kind === "scale_in");
  if (host.drain_reason === "idle_scale_in" && isOpen) return undefined;
  const decrement = host.drain_reason !== "replacement";
  const by = isWaiting ? "hook" : "terminate";
  const claimVersion = drainClaim(host);
  if (!mayEnd(pool, by, decrement)) return undefined;
  return {
    key: host.id,
    by,
    detail: {
      kind: "other",
      group: pool.fleet.group,
      groupId: input.observation.workerGroup.id,
      poolId: pool.pool.id,
      hostId: host.id,
      instance: instance.id,
      ...(host.current_epoch === undefined ? {} : { epoch: host.current_epoch }),
      ...(claimVersion === undefined ? {} : { claimVersion }),
      decrement,
      attempts: 0,
    },
  };
}

/** The pool that was raised longest ago, so that none waits for ever behind another (cases.md 51). */
function nextRaise(raises: readonly PoolRaise[], memory: GroupMemory): Decision["raise"] {
  const at = ({ pool }: PoolRaise) => memory.pools[pool.fleet.group]?.lastRaise?.at ?? 0;
  const wanted = raises.flatMap((raise) => (raise.to === undefined ? [] : [{ ...raise, to: raise.to }]));
  return wanted.sort((a, b) => at(a) - at(b))[0];
}
