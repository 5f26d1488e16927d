import type { Clock } from "./clock.ts";
import type { SecretSource } from "./secret-source.ts";
import { isPlaceholder, SecretNotSet, SecretUnreadable } from "./signing-secret.ts";

/** A token that we send: always AWSCURRENT, read at run time, kept briefly (design: secrets). */
export interface BearerToken {
  /** Throws {@link SecretNotSet} and {@link SecretUnreadable}. */
  current(): Promise<string>;
  /**
   * After a 401 for `refused`: another token, if the secret holds one by now. Reads at most once per 30 s, so that a
   * wrong token does not turn every call into one more read.
   */
  after(refused: string): Promise<string | undefined>;
}

/**
 * How long a token that we send is used before it is read anew. One that is refused is read anew at once, so that this decides only how long
 * the old of two valid tokens is still used; a read has its price, and a run comes every minute.
 */
export const sentTokenCacheMs = 15 * 60_000;

const refreshAtMostEveryMs = 30_000;

/** `name` says in errors which credential is meant; a failed read is never cached. */
export function bearerToken(source: SecretSource, clock: Clock, name: string, cacheMs: number): BearerToken {
  let known: { readonly value: string; readonly readAt: number } | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;

  async function refresh(): Promise<string> {
    triedAt = clock.now();
    const version = await source.read("AWSCURRENT").catch((cause: unknown) => {
      throw new SecretUnreadable(`The ${name} could not be read.`, { cause });
    });
    if (version === undefined) throw new SecretNotSet(`The ${name} has no current version.`);
    const value = version.value.trim();
    // A line break in a header would make every call fail with an error that quotes the token.
    if (isPlaceholder(value) || /[^\x21-\x7e]/.test(value)) throw new SecretNotSet(`The ${name} holds no token.`);
    known = { value, readAt: clock.now() };
    return value;
  }

  return {
    async current() {
      const age = known === undefined ? Number.POSITIVE_INFINITY : clock.now() - known.readAt;
      return known !== undefined && age >= 0 && age < cacheMs ? known.value : refresh();
    },
    async after(refused) {
      if (known !== undefined && known.value !== refused) return known.value;
      if (clock.now() - triedAt < refreshAtMostEveryMs) return undefined;
      const value = await refresh();
      return value === refused ? undefined : value;
    },
  };
}
