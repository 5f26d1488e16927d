import { refusal } from "../capacity/count-refusal.ts";
import type { LogLevel } from "../edge/logger.ts";
import type { Counted } from "../edge/metrics.ts";
import type { CycleReport } from "./cycle-report.ts";
import type { PoolRaise } from "./decision.ts";

/** One thing that a cycle decided, as log, metrics and trail have it. */
export interface Saying {
  readonly kind: "decision" | "finding";
  /** What it is about: told again only when `decided` or `outcome` changes for it. */
  readonly subject: string;
  /** The Auto Scaling group, or the Worker group where it is about no single one. */
  readonly fleet: string;
  readonly level: LogLevel;
  readonly decided: string;
  readonly reasons: readonly string[];
  readonly saw: Readonly<Record<string, unknown>>;
  readonly outcome: string;
  /** Something was sent: told every time. */
  readonly isAct: boolean;
  readonly metrics: readonly Counted[];
  readonly properties?: Readonly<Record<string, string>>;
}

/** What a cycle decided, changed or not: each pool's raise, each operation's step, and why no drain began. */
export function sayings(report: CycleReport): Saying[] {
  return [
    ...report.decision.raises.map((raise) => raiseSaying(raise, report)),
    ...stepSayings(report),
    drainSaying(report),
    ...report.lost.map((lost) => lostSaying(lost, report)),
    ...report.declared.map(declaredSaying),
  ];
}

function raiseSaying(raise: PoolRaise, { looked, raised }: CycleReport): Saying {
  const { pool, to, reasons, capped } = raise;
  const { group, count, inFlight, headroom, desired } = pool;
  const row = looked.plan?.pools.find(({ pool_id: id }) => id === pool.pool.id);
  const ours = raised?.group === group.name ? raised : undefined;
  const refused = typeof ours?.result === "object" ? ours.result : undefined;
  const outcome =
    ours === undefined ? "none" : refused === undefined ? String(ours.result) : `refused: ${refused.refused}`;
  const metrics: Counted[] = [];
  if (capped) metrics.push(["CapacityCapped", 1]);
  if (ours?.result === "accepted") {
    metrics.push(["Launches", ours.to - ours.from, { Outcome: "launched" }]);
  }
  if (refused !== undefined) metrics.push(refusal(refused.refused));
  if (ours?.result === "unknown") metrics.push(["CallFailed", 1, { Outcome: "failed", Code: "NoAnswer" }]);
  const decided = to === undefined ? `keep desired capacity ${group.desired}` : `raise desired capacity to ${to}`;
  return {
    kind: "decision",
    subject: `raise:${group.name}`,
    fleet: group.name,
    level: refused === undefined ? "info" : "error",
    decided: `${decided}: ${reasons.join("; ")}`,
    reasons,
    saw: { pool: pool.pool.name, recommended: row?.recommended_additional_workers, inFlight, desired, headroom, count },
    outcome,
    isAct: ours !== undefined && ours.result !== "observed",
    metrics,
    ...(refused === undefined ? {} : { properties: { Code: refused.refused } }),
  };
}

/** Steps that have but one reason. */
const whyNow = {
  end: "Helmr calls the host termination_ready, for exactly this instance",
  report: "EC2 called the instance terminated in two looks",
} as const;

function stepSayings({ decision, ends }: CycleReport): Saying[] {
  const found = decision.steps.map(({ operation, step }): Saying => {
    const { detail, key, phase } = operation;
    const end = ends.find((each) => each.key === key)?.result;
    const reasons =
      "reason" in step ? [step.reason] : end?.outcome === "unproven" ? [...end.missing] : [whyNow[step.do]];
    const metrics: Counted[] = [];
    if (step.do === "finish" && step.phase === "completed") {
      metrics.push(["Drains", 1, { Outcome: "removed" }]);
    }
    if (step.do === "hold") metrics.push(["Stalled", 1, { What: "drain" }]);
    if (end !== undefined && "kind" in end) metrics.push(refusal(end.code));
    return {
      kind: "decision",
      subject: `operation:${key}`,
      fleet: detail.group,
      level: step.do === "hold" ? "warn" : "info",
      decided: step.do === "finish" ? `operation ${step.phase}` : `operation ${step.do}: ${reasons.join("; ")}`,
      reasons,
      saw: { key, phase, host: detail.hostId, instance: detail.instance },
      outcome: end === undefined ? step.do : outcomeOf(end),
      isAct: end !== undefined && isSent(end),
      metrics,
    };
  });
  const known = new Set(decision.steps.map(({ operation }) => operation.key));
  const others = ends
    .filter(({ key }) => !known.has(key))
    .map(({ key, result }): Saying => {
      const order = decision.ends.find((each) => each.key === key);
      const reasons = result.outcome === "unproven" ? result.missing : ["drained by others"];
      return {
        kind: "decision",
        subject: `operation:${key}`,
        fleet: order?.detail.group ?? "",
        level: "info",
        decided: `end the drained host: ${reasons.join("; ")}`,
        reasons,
        saw: { host: key, instance: order?.detail.instance, decrement: order?.detail.decrement },
        outcome: outcomeOf(result),
        isAct: isSent(result),
        metrics: [],
      };
    });
  return [...found, ...others];
}

const isSent = ({ outcome }: CycleReport["ends"][number]["result"]): boolean =>
  outcome !== "unproven" && outcome !== "observed";

const outcomeOf = (end: CycleReport["ends"][number]["result"]): string =>
  "code" in end ? `${end.outcome}: ${end.code}` : end.outcome;

function drainSaying({ decision, drained, looked }: CycleReport): Saying {
  const isUnseen = looked.advisory.length > 0;
  const outcome =
    drained === undefined ? "none" : "code" in drained ? `${drained.outcome}: ${drained.code}` : drained.outcome;
  const reasons = drained?.outcome === "unsafe" ? drained.reasons : decision.drain.reasons;
  return {
    kind: "decision",
    subject: "drain",
    fleet: looked.observation.workerGroup.name,
    level: "info",
    decided: `${drained === undefined ? "no drain" : `drain in ${drained.pool}`}: ${reasons.join("; ")}`,
    reasons,
    saw: { advisory: looked.advisory },
    outcome,
    isAct: drained?.outcome === "draining",
    metrics: isUnseen ? [["CallFailed", 1, { Outcome: "unseen", Peer: "helmr" }]] : [],
  };
}

function lostSaying({ host, outcome }: CycleReport["lost"][number], { looked }: CycleReport): Saying {
  const { pools, workerGroup } = looked.observation;
  const supplied = pools.find(({ pool }) => pool.id === host.worker_pool_id);
  return {
    kind: "decision",
    subject: `lost:${host.id}`,
    fleet: supplied?.fleet.group ?? workerGroup.name,
    level: outcome === "not taken" ? "warn" : "info",
    decided: "report the host as lost",
    reasons: ["its instance is confirmed absent"],
    saw: { host: host.id, instance: host.resource_id },
    outcome,
    isAct: false,
    metrics: [],
  };
}

function declaredSaying({ group, pool, what, outcome }: CycleReport["declared"][number]): Saying {
  return {
    kind: "decision",
    subject: `${what}:${group}`,
    fleet: group,
    level: "info",
    decided: `make the ${what} as declared: ${outcome}`,
    reasons: [`the tags of ${group} declare it`],
    saw: { pool },
    outcome,
    isAct: outcome === "replaced" || outcome === "selected",
    metrics: [],
  };
}
