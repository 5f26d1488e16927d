import { type AgentRecord, ledgerAgents } from "../../lib/kici/agent-record.ts";
import { scalerOf } from "../../lib/kici/parts.ts";
import { isHeld } from "../../lib/ledger/lease.ts";
import type { Ledger } from "../cli/ledger.ts";
import type { InFlight } from "./in-flight.ts";

/** KiCI agents whose launch is not settled, and those that were withdrawn and are not known to be over. */
export async function kiciAgents({ records, liveSets, clock }: Ledger): Promise<InFlight[]> {
  const places: { scaler: string; agent: string; since: number }[] = [];
  for (const set of await liveSets.sets()) {
    for (const { name, since } of await liveSets.places(set))
      places.push({ scaler: scalerOf(set), agent: name, since });
  }
  const stored = places.length === 0 ? [] : await ledgerAgents(records).readAll(places);
  return places.flatMap(({ scaler, agent, since }, index) => {
    const record = stored[index]?.value;
    const open = record === undefined ? undefined : inFlight(record, clock.now());
    return open === undefined ? [] : [{ id: agent, fleet: scaler, since, ...open }];
  });
}

function inFlight(record: AgentRecord, now: number): Omit<InFlight, "id" | "fleet" | "since"> | undefined {
  const { phase, withdrawn, instanceId, lease } = record;
  const instance = instanceId === undefined ? {} : { instance: instanceId };
  if (phase === "ended" || phase === "failed") return undefined;
  if (withdrawn !== undefined) {
    return {
      kind: "kici teardown",
      phase: `withdrawn: ${withdrawn.reason}`,
      waits:
        phase === "launching"
          ? "whether its attempt launched an instance is not known; the reaper settles it"
          : "its instance is not known to be over; the reaper ends it within five minutes",
      ...instance,
      cancel: "An agent that was withdrawn is not taken back; KiCI asks for another when it needs one.",
    };
  }
  if (phase === "launched") return undefined;
  return {
    kind: "kici launch",
    phase,
    waits: isHeld(lease, now)
      ? "an invocation is launching it"
      : "nobody knows whether it launched: a repeat of the scale-up goes on, or the reaper concludes it after ten minutes",
    ...instance,
    cancel: "Nothing is to be cancelled here: KiCI's scale-down for the agent ends whatever was launched for it.",
  };
}
