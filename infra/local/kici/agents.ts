import type { Cloud } from "../aws/cloud.ts";
import { agentStart, whyNoStart } from "./agent-start.ts";
import type { Orchestrator } from "./orchestrator.ts";

/** How one agent fares: it works; its image comes after the claim code's end; its process dies at work; it hangs for ever. */
export type Fate = "works" | "late" | "crashes" | "hangs";

export type AgentsOptions = {
  /** From a running instance to its agent's first call: Docker starts, the image is pulled. */
  startMs?: number;
  fateOf?(agentId: string): Fate;
  /** Something that happened on an instance, in a sentence. */
  say?(text: string): void;
};

const lateMs = 310_000;
const heartbeatMs = 30_000;
/** An agent without work ends itself after so long (kici-notes 3). */
const idleMs = 5_000;
/** From the agent's end to the power-off: its unit's last act. */
const powerOffMs = 1_000;

/** The agents on the simulated instances: each does what its user data says. The answer ends them all. */
export function simulatedAgents(cloud: Cloud, orchestrator: Orchestrator, options: AgentsOptions = {}): () => void {
  const { startMs = 20_000, fateOf = () => "works", say = () => {} } = options;
  const runs = (id: string) => cloud.world.instances.get(id)?.state === "running";
  /** Later, if the instance still runs then. */
  const later = (id: string, ms: number, run: () => void) =>
    cloud.at(cloud.world.now() + ms, () => {
      if (!isStopped && runs(id)) run();
    });
  const agentOn = new Map<string, string>();
  let isStopped = false;

  function boot(id: string): void {
    const start = agentStart(cloud.world.instances.get(id)?.userData);
    if (start === undefined) return;
    const agentId = start.environment["KICI_AGENT_ID"] ?? "";
    const fate = fateOf(agentId);
    later(id, start.lifetimeMs, () => powerOff(id, `${id} is at its maximum lifetime`));
    const why = whyNoStart(start);
    later(id, fate === "late" ? startMs + lateMs : startMs, () => {
      if (why === undefined) work(id, start.environment, fate);
      else end(id, agentId, `does not start: ${why}`);
    });
  }

  function work(id: string, environment: Readonly<Record<string, string>>, fate: Fate): void {
    const agentId = environment["KICI_AGENT_ID"] ?? "";
    const claimed = orchestrator.claim(environment["KICI_SCALER_CLAIM_CODE"] ?? "");
    if ("error" in claimed) {
      end(id, agentId, `cannot claim: ${claimed.error}`);
      return;
    }
    const labels = (environment["KICI_LABELS"] ?? "").split(",").filter(Boolean);
    const registered = orchestrator.register(claimed.agentToken, agentId, labels);
    if ("error" in registered) {
      end(id, agentId, `may not register: ${registered.error}`);
      return;
    }
    agentOn.set(id, agentId);
    say(`agent ${agentId} claimed its token on ${id}, registered with ${labels.length} labels and takes its job`);
    if (fate === "hangs") return;
    beat(id, agentId);
    const workMs = fate === "crashes" ? registered.durationMs / 2 : registered.durationMs + idleMs;
    later(id, workMs, () => end(id, agentId, fate === "crashes" ? "crashed" : "did its job and is idle"));
  }

  function beat(id: string, agentId: string): void {
    if (agentOn.has(id)) orchestrator.heartbeat(agentId);
    later(id, heartbeatMs, () => beat(id, agentId));
  }

  function end(id: string, agentId: string, how: string): void {
    say(`agent ${agentId} ${how}: it ends, and ${id} powers off`);
    disconnect(id);
    later(id, powerOffMs, () => cloud.powerOff(id));
  }

  function powerOff(id: string, why: string): void {
    say(`${why} and powers off`);
    cloud.powerOff(id);
  }

  function disconnect(id: string): void {
    const agentId = agentOn.get(id);
    agentOn.delete(id);
    if (agentId !== undefined) orchestrator.disconnect(agentId);
  }

  const unlisten = cloud.on((event) => {
    if (isStopped || event.type !== "instance-state") return;
    if (event.to === "running") boot(event.instanceId);
    if (event.to === "shutting-down") disconnect(event.instanceId);
  });
  return () => {
    isStopped = true;
    unlisten();
  };
}
