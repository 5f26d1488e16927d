import type { Clock } from "../edge/clock.ts";
import type { SecretSource } from "../edge/secret-source.ts";
import { SecretNotSet, SecretUnreadable } from "../edge/signing-secret.ts";

/** The secret holds something that cannot be a capacity token. Only a person can mend that; the value is never shown. */
export class CapacityTokenMalformed extends Error {
  override readonly name = "CapacityTokenMalformed";
}

export interface CapacityToken {
  /** The token to send now. Throws {@link SecretNotSet}, {@link SecretUnreadable} and {@link CapacityTokenMalformed}. */
  token(): Promise<string>;
  /** This one was answered with a 401: the next call reads anew, at most once in 30 s (design: secrets). */
  refused(token: string): void;
}

/** 32 bytes in base64url without padding. The last of the 43 characters carries four bits: two of its bits must be 0. */
const canonical = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const rereadAtMostEveryMs = 30_000;

/** The text if it is a canonical capacity token, else throws {@link CapacityTokenMalformed} with the way to make one. */
export function checkedToken(text: string): string {
  if (canonical.test(text)) return text;
  throw new CapacityTokenMalformed(
    "The capacity token must be 32 random bytes in base64url without padding or line break, 43 characters: " +
      "openssl rand -base64 32 | tr -d '\\n=' | tr '/+' '_-'",
  );
}

/**
 * The token that opens Helmr's capacity protocol: always AWSCURRENT, because the Control Plane knows one token only and
 * rotation has no overlap (the contract). A failed read is never kept.
 */
export function capacityToken(
  source: SecretSource,
  clock: Clock,
  settings: { readonly cacheMs: number },
): CapacityToken {
  let known: { readonly token: string; readonly readAt: number } | undefined;
  let isSuspect = false;
  let reading: Promise<string> | undefined;

  async function read(): Promise<string> {
    const version = await source.read("AWSCURRENT").catch((cause: unknown) => {
      throw new SecretUnreadable("The capacity token could not be read.", { cause });
    });
    if (version === undefined) throw new SecretNotSet("The capacity token's secret has no current version.");
    const token = checkedToken(version.value);
    known = { token, readAt: clock.now() };
    isSuspect = false;
    return token;
  }

  return {
    async token() {
      if (known !== undefined) {
        const age = clock.now() - known.readAt;
        const isFresh = age >= 0 && age < (isSuspect ? rereadAtMostEveryMs : settings.cacheMs);
        if (isFresh) return known.token;
      }
      // Operations of several groups ask at once; one read serves them all.
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    refused(token) {
      if (known?.token === token) isSuspect = true;
    },
  };
}
