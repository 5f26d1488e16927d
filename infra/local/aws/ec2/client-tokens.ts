/** A RunInstances request that a client token remembers: what was asked and which instances came of it. */
export interface TokenRecord {
  readonly digest: string;
  readonly instanceIds: readonly string[];
  readonly reservationId: string;
}

/** Records by zone and token: the same token in another zone is another request. */
export type ClientTokens = Map<string, TokenRecord>;
