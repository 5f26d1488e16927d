import { countRefusal } from "../capacity/count-refusal.ts";
import type { Ending, Instance } from "../capacity/instances.ts";
import { observingInstances } from "../capacity/observing.ts";
import { agentOf } from "./agent-instance.ts";
import { type AgentName, type AgentRecord, concluded, launched } from "./agent-record.ts";
import { expiryTag } from "./attempt.ts";
import { freePlace, liveSetOf, type TeardownParts } from "./parts.ts";
import { decideInstance, type Expiry, type InstanceFate } from "./reap-decision.ts";
import { tellTrail } from "./tell-trail.ts";

interface Judged {
  readonly instance: Instance;
  readonly name: AgentName;
  readonly fate: InstanceFate;
}

/** Ledger writes of a burst go out so many at once. */
const settledAtOnce = 10;

/** What one part of a run did. */
export interface Reaped {
  readonly ended: number;
  readonly adopted: number;
  readonly failed: number;
  readonly findings: number;
}

/** Brings one page of living agent instances and the ledger together (the issue: cloud first, then ledger). */
export async function reapInstances(parts: TeardownParts, page: readonly Instance[]): Promise<Reaped> {
  const records = await parts.agents.readAll(page.map(agentOf));
  const now = parts.clock.now();
  const judged: Judged[] = page.map((instance, index) => ({
    instance,
    name: agentOf(instance),
    fate: decideInstance(instance, records[index]?.value, expiryOf(instance), now),
  }));
  const findings = judged.filter((each) => tellFinding(parts, each)).length;
  const toEnd = judged.filter(({ fate }) => fate.fate === "end");
  const { ended, failed } = await endAll(parts, toEnd);
  const toAdopt = judged.filter(({ fate }) => fate.fate === "adopt");
  for (const each of toAdopt) await adopt(parts, each);
  if (ended + toAdopt.length > 0) parts.metrics.count("ReaperFinds", ended + toAdopt.length);
  return { ended, adopted: toAdopt.length, failed, findings };
}

function tellFinding(parts: TeardownParts, { instance, name, fate }: Judged): boolean {
  if (fate.fate === "end" || fate.finding === undefined) return false;
  parts.logger.log("error", "finding", { code: fate.finding, resource: instance.id, ...name });
  parts.metrics.count("ConfigError", 1, { Code: fate.finding, Scaler: name.scaler });
  return true;
}

/** An expiry that is not a moment in the form that we write is none: an instance is not ended on a guess. */
function expiryOf({ tags }: Instance): Expiry {
  const written = tags[expiryTag] ?? "";
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/**
 * Ends them in one call where it works, else one by one; what is over is recorded. Instances of a scaler that is paused are
 * only observed. Gives how many were ended and how many could not be.
 */
async function endAll(parts: TeardownParts, toEnd: readonly Judged[]): Promise<{ ended: number; failed: number }> {
  const counts = { ended: 0, failed: 0 };
  for (const [isPaused, some] of await byPause(parts, toEnd)) {
    const instances = isPaused ? observingInstances(parts.instances) : parts.instances;
    const endings = await instances.end(some.map(({ instance }) => instance.id));
    counts.ended += endings.filter(({ outcome }) => outcome === "ended").length;
    counts.failed += some.filter((_, index) => !isExpected(endings[index])).length;
    for (let start = 0; start < some.length; start += settledAtOnce) {
      const now = some.slice(start, start + settledAtOnce);
      await Promise.all(now.map((each, index) => settleEnding(parts, each, endings[start + index])));
    }
  }
  return counts;
}

async function byPause(parts: TeardownParts, toEnd: readonly Judged[]): Promise<Map<boolean, Judged[]>> {
  const scalers = [...new Set(toEnd.map(({ name }) => name.scaler))];
  const paused = new Map<string, boolean>();
  for (const scaler of scalers) paused.set(scaler, await parts.isPaused(scaler));
  return Map.groupBy(toEnd, ({ name }) => paused.get(name.scaler) === true);
}

const isExpected = (ending: Ending | undefined): ending is Extract<Ending, { outcome: "ended" | "observed" }> =>
  ending?.outcome === "ended" || ending?.outcome === "observed";

async function settleEnding(
  parts: TeardownParts,
  { instance, name, fate }: Judged,
  ending: Ending | undefined,
): Promise<void> {
  const reason = fate.fate === "end" ? fate.reason : "";
  const fields = { ...name, instanceId: instance.id, reason };
  const code = ending?.outcome === "failed" ? ending.code : "InvalidInstanceID.NotFound";
  const outcome = isExpected(ending) ? ending.outcome : `refused: ${code}`;
  await tellTrail(parts, name, { saw: { instance: instance.id }, decided: "reap", reasons: [reason], outcome });
  if (isExpected(ending)) {
    parts.logger.log("info", ending.outcome === "ended" ? "reaped" : "observed", fields);
    if (ending.outcome === "ended") await recordEnd(parts, name, instance.id);
    return;
  }
  parts.logger.log("error", "not reaped", { ...fields, code });
  countRefusal(parts.metrics, code, { Scaler: name.scaler });
}

async function recordEnd(parts: TeardownParts, name: AgentName, instanceId: string): Promise<void> {
  const record = await parts.agents.change(name, (value) => {
    const known: AgentRecord = value ?? { phase: "launched" };
    if (known.phase === "ended" && known.instanceId !== undefined) return undefined;
    // Another instance is the agent's own: its record stays as it is.
    if (known.phase === "launched" && (known.instanceId ?? instanceId) !== instanceId) return undefined;
    return concluded(launched(known, instanceId, parts.clock.now()), "ended");
  });
  if (record?.phase === "ended") await freePlace(parts, name, record);
}

/** Reads a living instance back into the ledger from its tags; it counts against the cap again. */
async function adopt(parts: TeardownParts, { instance, name }: Judged): Promise<void> {
  const launchedAt = instance.launchedAt ?? parts.clock.now();
  await parts.liveSets.admit(liveSetOf(name.scaler, instance.architecture), name.agent);
  await parts.agents.change(name, (value) => {
    // Withdrawn since it was judged: the next run ends it. Recorded since: nothing to add.
    if (value?.withdrawn !== undefined || value?.phase === "launched") return undefined;
    const known: AgentRecord = value ?? { phase: "launched" };
    return launched({ ...known, architecture: instance.architecture }, instance.id, launchedAt);
  });
  const line = { decided: "adopt", reasons: ["the ledger did not know it"], outcome: "recorded" };
  await tellTrail(parts, name, { saw: { instance: instance.id }, ...line });
  parts.logger.log("warn", "adopted", { ...name, instanceId: instance.id });
}
