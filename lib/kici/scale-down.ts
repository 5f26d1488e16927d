import { countRefusal } from "../capacity/count-refusal.ts";
import { type Ending, type Instance, isGone } from "../capacity/instances.ts";
import { observingInstances } from "../capacity/observing.ts";
import { isAgentInstance } from "./agent-instance.ts";
import { type AgentName, type AgentRecord, concluded, launched } from "./agent-record.ts";
import { type Answer, awsRefused } from "./answer.ts";
import { agentTag, scalerTag } from "./attempt.ts";
import { describeLagMs } from "./conclude.ts";
import { freePlace, type TeardownParts } from "./parts.ts";
import type { ScaleDownEvent } from "./scale-down-event.ts";
import { tellTrail } from "./tell-trail.ts";

/**
 * Withdraws one agent and ends whatever runs for it. The tombstone is durable before anything is looked at, so that a
 * launch which is under way finds it. Idempotent; needs no template and no scale-up.
 *
 * It is recorded where Drover only observes, too. That an agent is withdrawn is the sender's fact and not an effect of ours:
 * once Drover acts, a late repeat of the scale-up launches nothing for it, and the reaper ends what is left of it.
 */
export async function scaleDown(parts: TeardownParts, event: ScaleDownEvent): Promise<Answer> {
  const name: AgentName = { scaler: event.scalerName, agent: event.agentId };
  const { record, isFirst } = await withdraw(parts, name, event.reason);
  const { found, over } = await findAll(parts, name, record);
  const endings = await end(parts, name, found);
  for (const ending of endings) {
    const isExpected = ending.outcome === "ended" || ending.outcome === "observed";
    parts.logger.log(isExpected ? "info" : "warn", "terminate", { ...name, ...ending });
    if (ending.outcome !== "failed") continue;
    countRefusal(parts.metrics, ending.code, { Scaler: name.scaler }, ending.code === "OperationNotPermitted");
  }
  const failed = endings.find(({ outcome }) => outcome === "failed");
  const ended = endings.filter(({ outcome }) => outcome === "ended").map(({ id }) => id);
  const isOver = await conclude(parts, name, { ended, over, pending: endings.length - ended.length });
  const outcome = endings.map((ending) => `${ending.id} ${ending.outcome}`).join(", ") || "nothing runs";
  // What is only observed, or was refused, comes again with every repeat of the event.
  const once = isFirst && ended.length === endings.length;
  await tellTrail(parts, name, { decided: "tear down", reasons: [event.reason], outcome, once });
  if (failed?.outcome === "failed") {
    return awsRefused(failed.code, `EC2 refused to terminate ${failed.id}; the reaper goes on trying`, 20);
  }
  if (endings.some((ending) => ending.outcome === "observed")) return { status: "observed", agentId: name.agent };
  const [instanceId] = found;
  if (instanceId !== undefined) return { status: "terminating", agentId: name.agent, instanceId };
  // An attempt is under way, or was left unfinished: whatever it launched is ended by its own function or by the reaper.
  return { status: isOver ? "absent" : "terminating", agentId: name.agent };
}

async function end(parts: TeardownParts, { scaler }: AgentName, found: readonly string[]): Promise<Ending[]> {
  if (found.length === 0) return [];
  const instances = (await parts.isPaused(scaler)) ? observingInstances(parts.instances) : parts.instances;
  return instances.end(found);
}

/** The tombstone, in the agent's own record; the first reason stays. `isFirst`: it did not stand there before. */
async function withdraw(
  parts: TeardownParts,
  name: AgentName,
  reason: string,
): Promise<{ record: AgentRecord; isFirst: boolean }> {
  const withdrawn = { at: parts.clock.now(), reason };
  let isFirst = true;
  const record = await parts.agents.change(name, (value) => {
    isFirst = value?.withdrawn === undefined;
    if (value === undefined) return { phase: "ended", withdrawn };
    if (value.withdrawn !== undefined) return undefined;
    return { ...value, phase: value.phase === "failed" ? "ended" : value.phase, withdrawn };
  });
  return { record: record ?? { phase: "ended", withdrawn }, isFirst };
}

interface Found {
  /** Everything that may run for this agent. */
  readonly found: readonly string[];
  /** The recorded instance, when it is gone. */
  readonly over?: string | undefined;
}

/** By tag and by ledger, since either can lag. */
async function findAll(parts: TeardownParts, name: AgentName, record: AgentRecord): Promise<Found> {
  const living = await parts.instances.living({ [agentTag]: name.agent, [scalerTag]: name.scaler });
  const found = living.filter(isAgentInstance).map(({ id }) => id);
  const { instanceId, phase, launchedAt = 0 } = record;
  if (instanceId === undefined || phase === "ended" || found.includes(instanceId)) return { found };
  const [shown] = await parts.instances.shown([instanceId]);
  const isYoung = parts.clock.now() - launchedAt < describeLagMs;
  return isOver(shown, isYoung) ? { found, over: instanceId } : { found: [...found, instanceId] };
}

/** Gone is what EC2 shows as gone, or no longer knows; not known so soon is lag (cases.md 27). */
const isOver = (shown: Instance | undefined, isYoung: boolean): boolean =>
  shown === undefined ? !isYoung : isGone(shown);

interface Outcome extends Pick<Found, "over"> {
  readonly ended: readonly string[];
  /** How many were not ended. */
  readonly pending: number;
}

/** Records what is over, and frees the agent's place once nothing of it can run. */
async function conclude(parts: TeardownParts, name: AgentName, { ended, over, pending }: Outcome): Promise<boolean> {
  const record = await parts.agents.change(name, (value) => {
    if (value === undefined || value.phase === "ended" || pending > 0) return undefined;
    const [instanceId] = ended;
    if (value.phase === "launched") {
      const own = value.instanceId;
      // An instance that became known since we looked is not over because of what we saw.
      return own === undefined || own === over || ended.includes(own) ? concluded(value, "ended") : undefined;
    }
    // The attempt's instance is known and over, so the attempt is too, whoever drives it.
    return instanceId === undefined ? undefined : concluded(launched(value, instanceId, parts.clock.now()), "ended");
  });
  const isOver = record?.phase === "ended";
  if (isOver) await freePlace(parts, name, record);
  return isOver;
}
