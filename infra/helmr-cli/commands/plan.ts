import type { Finding } from "../../../lib/capacity/finding.ts";
import { declaredWorkerGroups, isPlaced } from "../../../lib/capacity/helmr-fleets.ts";
import { cycleFindings } from "../../../lib/helmr/cycle-findings.ts";
import { dryActions } from "../../../lib/helmr/dry-actions.ts";
import { type DryRun, dryRun } from "../../../lib/helmr/dry-run.ts";
import { done, type Outcome } from "../../cli/outcome.ts";
import { noteTaker } from "../notes.ts";
import { type PoolView, planLines } from "../plan-lines.ts";
import type { Reach } from "../reach.ts";

const unplanned = "no plan: the stack only observes, and asks for none unless ObserveHelmrPlans is true";

/** A dry run: what the next cycle would see, plan and do, and each reason why not more. */
export async function showPlan(reach: Reach, isPlanned: boolean): Promise<Outcome> {
  const group = await reach.workerGroup();
  const { logger, notes } = noteTaker();
  const run = await dryRun(reach.dryParts(logger), group, isPlanned && reach.isPlanned);
  const unplaced = declaredWorkerGroups(await reach.groups()).filter((each) => !isPlaced(each));
  const { observation, plan, advisory } = run.looked;
  const view = {
    worker_group: { name: group, id: observation.workerGroup.id, status: observation.workerGroup.status },
    observed_at: new Date(observation.observedAt).toISOString(),
    paused: run.pause?.isPaused === true ? run.pause.reason : null,
    /** Why this look permits no scale-in. */
    advisory,
    pools: observation.pools.map(poolView),
    plan: plan ?? null,
    ...dryActions(run),
    findings: distinct([...cycleFindings(run), ...safety(run), ...unplaced.flatMap(({ findings }) => findings)]),
    notes: [...notes, ...(isPlanned && !reach.isPlanned ? [unplanned] : [])],
  };
  return done(planLines(view), view);
}

function poolView({
  pool,
  fleet,
  group,
  desired,
  count,
  ...seen
}: DryRun["looked"]["observation"]["pools"][number]): PoolView {
  return {
    pool: pool.name,
    status: pool.status,
    group: fleet.group,
    min: group.min,
    max: group.max,
    desired,
    count,
    registering: seen.registeringRows,
    in_flight: seen.inFlight,
    headroom: seen.headroom,
    unsettled: seen.unsettled,
    hosts_outside: seen.outside.map(({ resource_id: id }) => id),
  };
}

const safety = ({ unsafe }: DryRun): Finding[] => [...unsafe.values()].flat();

/** What is unsafe to grow is unsafe to shrink too, and is told once. */
const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((finding) => [`${finding.resource} ${finding.code} ${finding.tag}`, finding])).values(),
];
