import type { Instance } from "../capacity/instances.ts";
import type { Stored } from "../ledger/records.ts";
import { agentOf } from "./agent-instance.ts";
import { type AgentName, type AgentRecord, concluded, launched } from "./agent-record.ts";
import { expiryTag } from "./attempt.ts";
import { liveSetOf, type TeardownParts } from "./parts.ts";
import { decideInstance, type Expiry } from "./reap-decision.ts";

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
  const judged = page.map((instance, index) => {
    const record = records[index]?.value;
    const expiry = expiryOf(instance);
    return { instance, name: agentOf(instance), fate: decideInstance(instance, record, expiry, now) };
  });
  const findings = judged.filter(({ fate }) => fate.fate === "leave" && fate.finding !== undefined);
  for (const { instance, name, fate } of findings) {
    const code = fate.fate === "leave" ? (fate.finding ?? "") : "";
    parts.logger.log("error", "finding", { code, resource: instance.id, ...name });
    parts.metrics.count("ConfigError", 1, { Code: code, Scaler: name.scaler });
  }
  const toEnd = judged.flatMap(({ instance, name, fate }) =>
    fate.fate === "end" ? [{ instance, name, reason: fate.reason }] : [],
  );
  const toAdopt = judged.filter(({ fate }) => fate.fate === "adopt");
  const failed = await endAll(parts, toEnd);
  await adoptAll(parts, toAdopt);
  return { ended: toEnd.length - failed, adopted: toAdopt.length, failed, findings: findings.length };
}

/** An expiry that is not a moment in the form that we write is none: an instance is not ended on a guess. */
function expiryOf({ tags }: Instance): Expiry {
  const written = tags[expiryTag] ?? "";
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(written) ? Date.parse(written) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

interface ToEnd {
  readonly instance: Instance;
  readonly name: AgentName;
  readonly reason: string;
}

/** Ends them in one call where it works, else one by one; what is over is recorded. Gives how many could not be ended. */
async function endAll(parts: TeardownParts, toEnd: readonly ToEnd[]): Promise<number> {
  if (toEnd.length === 0) return 0;
  const endings = await parts.instances.end(toEnd.map(({ instance }) => instance.id));
  const over: AgentName[] = [];
  for (const [index, { instance, name, reason }] of toEnd.entries()) {
    const ending = endings[index];
    if (ending?.outcome === "ended") {
      parts.logger.log("info", "reaped", { ...name, instanceId: instance.id, reason });
      over.push(name);
      await recordEnd(parts, name, instance.id);
    } else {
      const code = ending?.outcome === "failed" ? ending.code : "InvalidInstanceID.NotFound";
      parts.logger.log("error", "not reaped", { ...name, instanceId: instance.id, reason, code });
      parts.metrics.count("CallFailed", 1, { Scaler: name.scaler, Code: code });
    }
  }
  await freePlaces(parts, over);
  return toEnd.length - over.length;
}

async function recordEnd(parts: TeardownParts, name: AgentName, instanceId: string): Promise<void> {
  await parts.agents.change(name, (value) => {
    const known: AgentRecord = value ?? { phase: "launched" };
    if (known.phase === "ended" && known.instanceId !== undefined) return undefined;
    if (known.phase === "launched" && known.instanceId !== undefined && known.instanceId !== instanceId)
      return undefined;
    return concluded(launched(known, instanceId, parts.clock.now()), "ended");
  });
}

/** Frees the places of agents of whom nothing runs any more; each scaler's set is written once. */
export async function freePlaces(
  parts: TeardownParts,
  names: readonly (AgentName & { readonly since?: number })[],
): Promise<void> {
  for (const scaler of new Set(names.map(({ scaler }) => scaler))) {
    const own = names.filter((name) => name.scaler === scaler);
    const places = own.map(({ agent, since }) => ({ name: agent, ...(since === undefined ? {} : { since }) }));
    await parts.liveSets.free(liveSetOf(scaler), places);
  }
}

/** Reads living instances back into the ledger from their tags; they count against the cap again. */
async function adoptAll(parts: TeardownParts, adopted: readonly { instance: Instance; name: AgentName }[]) {
  for (const scaler of new Set(adopted.map(({ name }) => name.scaler))) {
    const own = adopted.filter(({ name }) => name.scaler === scaler);
    const since = parts.clock.now();
    const members = own.map(({ instance, name }) => [name.agent, { since, kind: instance.architecture }] as const);
    await parts.liveSets.admit(liveSetOf(scaler), Object.fromEntries(members));
    for (const { instance, name } of own) await adoptOne(parts, instance, name);
  }
}

async function adoptOne(parts: TeardownParts, instance: Instance, name: AgentName): Promise<void> {
  const launchedAt = instance.launchedAt ?? parts.clock.now();
  const read: Stored<AgentRecord> | undefined = await parts.agents.read(name);
  await parts.agents.change(
    name,
    (value) => {
      // Withdrawn since it was judged: the next run ends it. Recorded since: nothing to add.
      if (value?.withdrawn !== undefined || value?.phase === "launched") return undefined;
      return launched(value ?? { phase: "launched" }, instance.id, launchedAt);
    },
    read,
  );
  parts.logger.log("warn", "adopted", { ...name, instanceId: instance.id });
}
