import type { DrainDetail, DrainPhase } from "../../lib/helmr/drain-operation.ts";
import { isFinished } from "../../lib/helmr/drain-operation.ts";
import { readMemory } from "../../lib/helmr/group-memory.ts";
import { operationFleet } from "../../lib/helmr/open-operations.ts";
import { ledgerOperations } from "../../lib/ledger/operations.ts";
import type { Ledger } from "../cli/ledger.ts";
import type { InFlight } from "./in-flight.ts";

const cancel =
  "Helmr takes no drain back: the host ends its work and leaves. Drover ends its instance only under its proof.";

/** Drains of Helmr Worker groups that have not come to their end; `names` may hold other fleets too. */
export async function helmrDrains({ records, table, clock }: Ledger, names: readonly string[]): Promise<InFlight[]> {
  const operations = ledgerOperations<DrainPhase, DrainDetail>(records, table, clock);
  const found: InFlight[] = [];
  for (const name of names) {
    const { open, said } = (await readMemory(records, name)).value;
    for (const key of open) {
      const operation = (await operations.find(operationFleet(name), key))?.value;
      if (operation === undefined || isFinished(operation.phase)) continue;
      const { phase, startedAt, detail } = operation;
      found.push({
        id: key,
        kind: "helmr drain",
        fleet: detail.group,
        phase,
        since: startedAt,
        waits: waitsOf(said[`operation:${key}`]),
        ...(detail.instance === undefined ? {} : { instance: detail.instance }),
        cancel,
      });
    }
  }
  return found;
}

/** What the last cycle said of it, without the words that say which operation and which step. */
function waitsOf(said: string | undefined): string {
  if (said === undefined) return "no cycle has looked at it yet";
  return said.replace(/^operation \w+: /, "").replace(/ \([^()]*\)$/, "") || said;
}
