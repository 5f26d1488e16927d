/** A set of living things that share one cap: whose they are, and their kind. */
export interface LiveSet {
  readonly of: string;
  readonly kind: string;
}

/** One place in a set. */
export interface Place {
  readonly name: string;
  /** When it was taken last, milliseconds since the epoch; tells one taking from another. */
  readonly since: number;
}

/**
 * Who is alive, by name: a set of names and never a counter, so that a repeated write changes nothing (design: the
 * ledger). Under any concurrency at most `cap` of a set were let in by `take`.
 */
export interface LiveSets {
  /** Lets one in, once however often it asks; `full` when as many others are in as `cap` says. */
  take(set: LiveSet, name: string, cap: number): Promise<"taken" | "full">;
  /** Lets in what lives anyway, whatever the cap. */
  admit(set: LiveSet, name: string): Promise<void>;
  /** Frees a place; one given with `since` only if it was not taken again later. */
  free(set: LiveSet, name: string, since?: number): Promise<void>;
  places(set: LiveSet): Promise<readonly Place[]>;
  /** Every set that anything was ever let into. */
  sets(): Promise<readonly LiveSet[]>;
}
