/** One operation that has not come to its end. */
export interface InFlight {
  /** As commands take it: the instance of a Zoomies drain, the key of a Helmr drain, the agent of a KiCI attempt. */
  readonly id: string;
  readonly kind: "zoomies drain" | "helmr drain" | "kici launch" | "kici teardown";
  readonly fleet: string;
  readonly phase: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Why it has not gone on. */
  readonly waits: string;
  readonly instance?: string;
  /** Under which key the ledger keeps a Zoomies drain that may still be given up. */
  readonly cancelKey?: string;
  /** What a cancel comes to: what Drover will do, or why there is nothing to take back. */
  readonly cancel: string;
}
