import type { SimClock } from "../../aws/sim-clock.ts";

/**
 * Where the contract leaves the answer open, both answers can be had; a client must live with either. The rest are
 * Helmr's own times in milliseconds (helmr-notes 3 and 5).
 */
export interface ModelOptions {
  readonly clock: SimClock;
  /** Numbers in 0..1. */
  readonly random: () => number;
  readonly token?: string;
  /** The status beside `execution_capacity_unavailable`, which the contract does not state. Default 409. */
  readonly evidenceStatus?: 409 | 422 | 503;
  /** What /lost answers for a termination_ready host (helmr-notes 2.3). The receipt completes in both. Default "accepted". */
  readonly lostFromReady?: "accepted" | "conflict";
  /** From confirmed absence to the completed receipt. Default 0. */
  readonly completionDelayMs?: number;
  /** Whether a receipt's claim version stays the drain's or follows the host's (helmr-notes 2.4). Default "drain". */
  readonly receiptClaim?: "drain" | "current";
  /** Which identities a receipt tells: their names are not published (helmr-notes 2.4). Default "all". */
  readonly receiptFields?: "all" | "key-and-phase";
  /** Whether a keyed receipt is wrapped in `operation`, as the pending one is. Default false. */
  readonly wrapKeyedReceipt?: boolean;
  /** Older sources let optional work block scale-in as any lease does. Default false, as the contract has it. */
  readonly optionalBlocksScaleIn?: boolean;
  readonly evidenceMaxAgeMs?: number;
  readonly staleHostMs?: number;
  readonly silentHostMs?: number;
  readonly silentRegistrationMs?: number;
}

export type Settings = Required<Omit<ModelOptions, "token" | "clock" | "random">>;

export function settingsOf(options: ModelOptions): Settings {
  const { clock: _clock, random: _random, token: _token, ...chosen } = options;
  return {
    evidenceStatus: 409,
    lostFromReady: "accepted",
    completionDelayMs: 0,
    receiptClaim: "drain",
    receiptFields: "all",
    wrapKeyedReceipt: false,
    optionalBlocksScaleIn: false,
    evidenceMaxAgeMs: 30_000,
    staleHostMs: 120_000,
    silentHostMs: 120_000,
    silentRegistrationMs: 900_000,
    ...chosen,
  };
}
