import type { TerminateOutcome } from "../capacity/shrink.ts";
import type { Decision, EndOrder } from "./decision.ts";
import type { Observation, ObservedPool } from "./observation.ts";
import type { HelmrParts } from "./parts.ts";
import { endInstance } from "./perform-end.ts";
import type { RaiseResult } from "./perform-raise.ts";
import { sendRaise } from "./perform-raise.ts";
import type { PlannedObservation } from "./planned-observation.ts";
import { type LostHost, reportOne } from "./report-lost.ts";
import type { Session } from "./session.ts";
import { type Declared, settleDeclared } from "./settle-declared.ts";
import { askForDrain, type DrainStart } from "./start-drain.ts";

/** What was not sent, because Drover only observes. */
export interface Observed {
  readonly outcome: "observed";
}

/** The mutations of one cycle, each after its guards were read: intent, act and outcome in the ledger (design: rule 2). */
export interface HelmrActs {
  raise(parts: HelmrParts, session: Session, raise: NonNullable<Decision["raise"]>): Promise<RaiseResult>;
  end(
    parts: HelmrParts,
    session: Session,
    order: EndOrder,
    hook: string | undefined,
  ): Promise<TerminateOutcome | Observed>;
  startDrain(parts: HelmrParts, session: Session, pool: ObservedPool, observation: Observation): Promise<DrainStart>;
  /** Whether Helmr knows of the host's absence now. */
  reportLost(parts: HelmrParts, session: Session, host: LostHost): Promise<boolean | "observed">;
  settleDeclared(parts: HelmrParts, session: Session, looked: PlannedObservation): Promise<readonly Declared[]>;
}

export const helmrActs: HelmrActs = {
  raise: sendRaise,
  end: endInstance,
  startDrain: askForDrain,
  reportLost: reportOne,
  settleDeclared,
};

const observed: Observed = { outcome: "observed" };

/** Sends nothing and begins nothing in the ledger, so that the next look finds everything as it was. */
export const observingHelmrActs: HelmrActs = {
  raise: async () => "observed",
  end: async () => observed,
  startDrain: async () => observed,
  reportLost: async () => "observed",
  settleDeclared: async () => [],
};
