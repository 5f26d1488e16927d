import type { Sightings } from "./absence.ts";
import type { Decision } from "./decision.ts";
import type { EndResult } from "./perform-end.ts";
import type { RaiseResult } from "./perform-raise.ts";
import type { PlannedObservation } from "./planned-observation.ts";
import type { LostReport } from "./report-lost.ts";
import type { Declared } from "./settle-declared.ts";
import type { DrainStart } from "./start-drain.ts";

/** What one cycle saw, decided and did. */
export interface CycleReport {
  readonly looked: PlannedObservation;
  readonly sighted: Sightings;
  readonly decision: Decision;
  /** What was tried at the provider; the last one may have been sent, and no more than one ever is (invariant 23). */
  readonly ends: readonly { readonly key: string; readonly result: EndResult }[];
  readonly raised?: {
    readonly group: string;
    readonly from: number;
    readonly to: number;
    readonly result: RaiseResult;
  };
  readonly drained?: DrainStart & { readonly pool: string };
  /** Hosts of absent instances, and whether Helmr was told. */
  readonly lost: readonly LostReport[];
  /** Policies and primary pools that were not as declared. */
  readonly declared: readonly Declared[];
  /** Something was changed, or turned out to be otherwise: look again as soon as that is allowed. */
  readonly again: boolean;
}
