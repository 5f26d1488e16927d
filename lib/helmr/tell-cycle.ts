import type { Finding } from "../capacity/finding.ts";
import type { Counted } from "../edge/metrics.ts";
import { cycleFindings } from "./cycle-findings.ts";
import type { CycleReport } from "./cycle-report.ts";
import { arrivals } from "./in-service.ts";
import type { HelmrParts } from "./parts.ts";
import { type Saying, sayings } from "./sayings.ts";
import type { Session } from "./session.ts";

/** Log, metrics and trail of one cycle: a line for each cycle, and one for each decision that changed. */
export async function tellCycle(parts: HelmrParts, session: Session, report: CycleReport): Promise<void> {
  const { logger, metrics } = parts;
  const { observation, plan, advisory } = report.looked;
  const { pools } = observation;
  const sum = (of: (pool: (typeof pools)[number]) => number) => pools.reduce((all, pool) => all + of(pool), 0);
  logger.log("info", "cycle", {
    pools: pools.length,
    active: sum(({ count }) => count.active),
    inFlight: sum(({ inFlight }) => inFlight),
    recommended: plan?.pools.reduce((all, row) => all + row.recommended_additional_workers, 0),
    ...(advisory.length > 0 ? { advisory } : {}),
    ...(report.drained === undefined ? {} : { drained: report.drained }),
    tookMs: parts.clock.now() - observation.observedAt,
  });
  const stuck = sum(({ count }) => count.stuck);
  if (stuck > 0) metrics.count("Stalled", stuck, { What: "host", Fleet: session.name });
  const said: Record<string, string> = {};
  for (const saying of [...sayings(report), ...cycleFindings(report).map(asSaying)]) {
    const text = `${saying.decided} (${saying.outcome})`;
    said[saying.subject] = text;
    const isNew = session.memory.value.said[saying.subject] !== text;
    if (!isNew && !saying.isAct) continue;
    logger.log(saying.level, saying.kind, {
      fleet: saying.fleet,
      decided: saying.decided,
      reasons: saying.reasons,
      ...saying.saw,
    });
    for (const [name, value, own] of saying.metrics) {
      metrics.count(...([name, value, { Fleet: saying.fleet, ...saying.properties, ...own }] as Counted));
    }
    const { fleet, saw, decided, reasons, outcome } = saying;
    // What is refused again and again is counted each time and told once.
    if (!isNew && outcome.startsWith("refused")) continue;
    await parts.trail.append({ fleet, saw, decided, reasons, outcome });
  }
  const arrived = arrivals(pools, session.memory.value.pools, parts.clock.now());
  const noted = Object.fromEntries(arrived.map((each) => [each.group, each.memory]));
  await session.memory.save({ said, pools: { ...session.memory.value.pools, ...noted } });
  for (const { group, seconds } of arrived) metrics.count("TimeToInService", seconds, { Fleet: group });
}

function asSaying({ code, resource, message, fix, tag }: Finding): Saying {
  return {
    kind: "finding",
    subject: `finding:${resource}:${code}`,
    fleet: resource,
    level: "warn",
    decided: code,
    reasons: [message, fix],
    saw: { code, ...(tag === undefined ? {} : { tag }) },
    outcome: "held",
    isAct: false,
    metrics: [["ConfigError", 1]],
    properties: { Code: code },
  };
}
