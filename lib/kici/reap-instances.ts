import { countRefusal } from "../capacity/count-refusal.ts";
import type { Instance } from "../capacity/instances.ts";
import { agentOf } from "./agent-instance.ts";
import { type AgentName, type AgentRecord, concluded, launched } from "./agent-record.ts";
import { expiryTag } from "./attempt.ts";
import { freePlace, liveSetOf, type TeardownParts } from "./parts.ts";
import { decideInstance, type Expiry, type InstanceFate } from "./reap-decision.ts";

interface Judged {
  readonly instance: Instance;
  readonly name: AgentName;
  readonly fate: InstanceFate;
}

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
  const failed = await endAll(parts, toEnd);
  const toAdopt = judged.filter(({ fate }) => fate.fate === "adopt");
  for (const each of toAdopt) await adopt(parts, each);
  const finds = toEnd.length - failed + toAdopt.length;
  if (finds > 0) parts.metrics.count("ReaperFinds", finds);
  return { ended: toEnd.length - failed, adopted: toAdopt.length, failed, findings };
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

/** Ends them in one call where it works, else one by one; what is over is recorded. Gives how many could not be ended. */
async function endAll(parts: TeardownParts, toEnd: readonly Judged[]): Promise<number> {
  if (toEnd.length === 0) return 0;
  const endings = await parts.instances.end(toEnd.map(({ instance }) => instance.id));
  let failed = 0;
  for (const [index, { instance, name, fate }] of toEnd.entries()) {
    const ending = endings[index];
    const fields = { ...name, instanceId: instance.id, reason: fate.fate === "end" ? fate.reason : "" };
    if (ending?.outcome === "ended") {
      parts.logger.log("info", "reaped", fields);
      await recordEnd(parts, name, instance.id);
    } else {
      failed += 1;
      const code = ending?.outcome === "failed" ? ending.code : "InvalidInstanceID.NotFound";
      parts.logger.log("error", "not reaped", { ...fields, code });
      countRefusal(parts.metrics, code, { Scaler: name.scaler });
    }
  }
  return failed;
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
  parts.logger.log("warn", "adopted", { ...name, instanceId: instance.id });
}
