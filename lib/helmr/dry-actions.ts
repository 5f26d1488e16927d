import type { DryRun } from "./dry-run.ts";

/** One line of a dry run: what it is about, and what would be done or why it would not. */
export interface DryLine {
  readonly subject: string;
  readonly text: string;
}

export interface DryActions {
  /** In the order in which a cycle would do it. */
  readonly would: readonly DryLine[];
  readonly wouldNot: readonly DryLine[];
}

/** A cycle changes one thing at the provider (invariant 23). */
const oneACycle = "one change at the provider a cycle, and another one comes first";

/** What the cycle would do, and each reason why it would not do more. Pure; the order is reconcileGroup's. */
export function dryActions(run: DryRun): DryActions {
  const would: DryLine[] = [];
  const wouldNot: DryLine[] = [];
  noteSteps(run, would, wouldNot);
  // What is reported already and still waits for its receipt; what is finished in this cycle does not wait any more.
  const settling = run.decision.steps.flatMap(({ operation: { phase, detail }, step }) =>
    phase === "settling" && step.do !== "finish" ? [detail.hostId] : [],
  );
  for (const { resource_id: instance, id } of run.decision.lost) {
    if (settling.includes(id)) continue;
    would.push({ subject: instance, text: `report host ${id} lost: its instance is confirmed absent` });
  }
  const isEnding = noteEnds(run, would, wouldNot);
  noteRaises(run, isEnding, would, wouldNot);
  noteDrain(run, isEnding, would, wouldNot);
  noteDeclared(run, would, wouldNot);
  if (run.pause?.isPaused !== true) return { would, wouldNot };
  const paused = would.map(({ subject, text }) => ({ subject, text: `paused by an operator, else: ${text}` }));
  return { would: [], wouldNot: [...paused, ...wouldNot] };
}

function noteSteps({ decision }: DryRun, would: DryLine[], wouldNot: DryLine[]): void {
  for (const { operation, step } of decision.steps) {
    const subject = `operation ${operation.key}`;
    if (step.do === "finish") would.push({ subject, text: `note it down as ${step.phase}: ${step.reason}` });
    else if (step.do === "hold") wouldNot.push({ subject, text: `held (${step.code}): ${step.reason}` });
    else if (step.do === "wait") wouldNot.push({ subject, text: `waits: ${step.reason}` });
  }
}

/** The first end whose proof is complete is the one; answers whether there is one. */
function noteEnds({ decision, proofs }: DryRun, would: DryLine[], wouldNot: DryLine[]): boolean {
  let isEnding = false;
  for (const { key, by, detail } of decision.ends) {
    const subject = detail.instance ?? key;
    const missing = proofs.get(key) ?? ["not read"];
    if (missing.length > 0) wouldNot.push({ subject, text: `not ended, proof missing: ${missing.join("; ")}` });
    else if (isEnding) wouldNot.push({ subject, text: `not ended yet: ${oneACycle}` });
    else {
      isEnding = true;
      const how = detail.decrement ? "with decrement" : "without decrement, so that it is replaced";
      const text = by === "hook" ? "complete its termination hook" : `terminate it in ${detail.group} ${how}`;
      would.push({ subject, text: `${text}: its host is termination_ready` });
    }
  }
  return isEnding;
}

function noteRaises({ decision }: DryRun, isEnding: boolean, would: DryLine[], wouldNot: DryLine[]): void {
  for (const { pool, to, reasons } of decision.raises) {
    const { name: subject, desired } = pool.group;
    const why = reasons.join("; ");
    if (to === undefined) wouldNot.push({ subject, text: `not raised: ${why}` });
    else if (isEnding || decision.raise?.pool !== pool) {
      wouldNot.push({ subject, text: `not raised to ${to} yet (${why}): ${oneACycle}` });
    } else would.push({ subject, text: `raise desired capacity from ${desired} to ${to}: ${why}` });
  }
}

function noteDrain(
  { decision: { drain, raise }, unsafe }: DryRun,
  isEnding: boolean,
  would: DryLine[],
  wouldNot: DryLine[],
): void {
  if (drain.pool === undefined || isEnding || raise !== undefined) {
    for (const text of drain.reasons) wouldNot.push({ subject: "drain", text: `none begins: ${text}` });
    return;
  }
  const { group, pool } = drain.pool;
  const against = unsafe.get(group.name) ?? [];
  if (against.length === 0) {
    would.push({ subject: pool.name, text: `ask Helmr to drain one host: ${drain.reasons.join("; ")}` });
  } else {
    const codes = against.map(({ code }) => code).join(" ");
    wouldNot.push({ subject: "drain", text: `none begins in ${pool.name}: unsafe to shrink: ${codes}` });
  }
}

function noteDeclared({ declared }: DryRun, would: DryLine[], wouldNot: DryLine[]): void {
  for (const { pool: subject, policy, primary } of declared) {
    if (policy !== undefined) {
      would.push({ subject, text: `replace its resource policy at revision ${policy.expected_revision}` });
    }
    if (primary?.select !== undefined) {
      const text = `make it the primary pool if ${primary.select.minimum_ready_hosts} of its hosts are ready`;
      would.push({ subject, text });
    } else if (primary !== undefined && primary.reason !== "is_primary") {
      wouldNot.push({ subject, text: `not made the primary pool: ${primary.reason}` });
    }
  }
}
