import { errorFields } from "../edge/logger.ts";
import { ControlPlaneError, ControlPlaneUnauthorized } from "./control-plane.ts";
import type { Decision } from "./decision.ts";
import type { ObservedPool } from "./observation.ts";
import type { HelmrParts } from "./parts.ts";
import type { WorkerHost } from "./protocol.ts";
import type { Session } from "./session.ts";

/** Reports in one cycle; the next goes on. */
const mostReports = 20;

/** One host whose instance is confirmed absent, and whether Helmr took it. */
export interface LostReport {
  readonly host: LostHost;
  readonly outcome: "reported" | "not taken" | "observed";
}

/**
 * Tells Helmr of every host whose instance is confirmed absent (invariants 28 and 29), and forgets the instances that are
 * settled by it. An operation whose absence is reported waits for its receipt from there on (invariant 44).
 */
export async function reportLost(
  parts: HelmrParts,
  session: Session,
  decision: Decision,
  absent: ReadonlySet<string>,
  pools: readonly ObservedPool[],
): Promise<LostReport[]> {
  const { open, memory, hold } = session;
  const reports: LostReport[] = [];
  const settling = new Set(
    open.all().flatMap(({ phase, detail }) => (phase === "settling" ? detail.hostId : []) ?? []),
  );
  const all = [...ownHosts(decision), ...decision.lost];
  const due = all.filter(({ id }) => !settling.has(id)).slice(0, mostReports);
  const unsettled = new Set<string>();
  const paused = new Set(pools.flatMap(({ fleet, pool }) => (fleet.paused ? [pool.id] : [])));
  if (due.length > 0) await hold.assert(parts.settings.mutationTimeoutMs * 2);
  for (const host of due) {
    const told = paused.has(host.worker_pool_id) ? "observed" : await parts.acts.reportLost(parts, session, host);
    if (told !== true) unsettled.add(host.resource_id);
    reports.push({ host, outcome: told === true ? "reported" : told === false ? "not taken" : told });
  }
  for (const { id, resource_id: instance } of all) {
    if (!settling.has(id) && !due.some((host) => host.id === id)) unsettled.add(instance);
  }
  for (const { operation, step } of decision.steps) {
    const { instance = "" } = operation.detail;
    if (step.do === "report" && !unsettled.has(instance)) await open.advance(operation.key, { phase: "settling" });
  }
  const held = new Set(open.all().flatMap(({ detail }) => detail.instance ?? []));
  const forgotten = [...absent].filter((instance) => !unsettled.has(instance) && !held.has(instance));
  if (forgotten.length === 0) return reports;
  const gone = new Set(forgotten);
  await memory.save({ seen: Object.fromEntries(Object.entries(memory.value.seen).filter(([id]) => !gone.has(id))) });
  return reports;
}

/** What a report needs of a host. */
export type LostHost = Pick<WorkerHost, "id" | "resource_id" | "worker_pool_id">;

/**
 * The hosts of operations whose absence is to be reported, where the inventory shows another row for the instance: a worker
 * that came back under a new row hides the old one, and a receipt completes with its own host only.
 */
function ownHosts({ steps, lost }: Decision): LostHost[] {
  return steps.flatMap(({ operation: { detail }, step }) => {
    const { hostId: id, poolId: worker_pool_id, instance } = detail;
    if (step.do !== "report" || id === undefined || instance === undefined) return [];
    return lost.some((host) => host.id === id) ? [] : [{ id, resource_id: instance, worker_pool_id }];
  });
}

/** Whether Helmr knows of the absence now. A 409 for a host that is termination_ready is as good (helmr-notes 2.3). */
export async function reportOne(
  parts: HelmrParts,
  { controlPlane }: Session,
  { id, resource_id }: LostHost,
): Promise<boolean> {
  try {
    await controlPlane.lost(id);
    parts.logger.log("info", "absence reported", { host: id, instance: resource_id });
    return true;
  } catch (error) {
    if (!(error instanceof ControlPlaneError) || error instanceof ControlPlaneUnauthorized) throw error;
    if (error.status === 404) return true;
    parts.logger.log("warn", "absence not taken", { host: id, instance: resource_id, ...errorFields(error) });
    if (error.status !== 409) return false;
    // Contention comes as a 409 too, with nothing committed: only the row tells (helmr-notes 7.17).
    const { status } = await controlPlane.host(id);
    return status === "termination_ready" || status === "lost";
  }
}
