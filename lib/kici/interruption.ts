import type { Instance } from "../capacity/instances.ts";
import type { Answer } from "../interruption/handle-notices.ts";
import type { LiveSets } from "../ledger/live-set.ts";
import { agentOf, isAgentInstance } from "./agent-instance.ts";
import { type Agents, concluded } from "./agent-record.ts";
import { freePlace, trailOf } from "./parts.ts";

/**
 * Closes the record of an agent whose instance EC2 takes or ends: its place under the cap is free at once, and the reaper has
 * nothing to find. The instance itself is left to EC2, and to the scale-down that KiCI sends. It is the ledger's own business, and
 * so the same whether Drover acts or only observes.
 *
 * @returns undefined when the instance is no agent's
 */
export async function closeInterrupted(
  parts: { readonly agents: Agents; readonly liveSets: LiveSets },
  instance: Instance,
  isEnding: boolean,
): Promise<Answer | undefined> {
  if (!isAgentInstance(instance)) return undefined;
  const name = agentOf(instance);
  const fleet = trailOf(name.scaler);
  // It may live out its time: what it holds is still held.
  if (!isEnding) return { fleet, decided: "leave its agent", because: "it may live on" };
  let closed = false;
  const record = await parts.agents.change(name, (value) => {
    closed = value?.phase === "launched" && value.instanceId === instance.id;
    return closed && value !== undefined ? concluded(value, "ended") : undefined;
  });
  if (record?.phase === "ended" && record.instanceId === instance.id) await freePlace(parts, name, record);
  return { fleet, decided: "close its agent's record", outcome: closed ? "closed" : "nothing to close" };
}
