import { bearerToken } from "../edge/bearer-token.ts";
import type { Clock } from "../edge/clock.ts";
import type { SecretSource } from "../edge/secret-source.ts";

/** The secret holds something that cannot be a capacity token. Only a person can mend that; the value is never shown. */
export class CapacityTokenMalformed extends Error {
  override readonly name = "CapacityTokenMalformed";
}

export interface CapacityToken {
  /** The token to send now. Throws SecretNotSet and SecretUnreadable as every secret does, and {@link CapacityTokenMalformed}. */
  token(): Promise<string>;
  /** This one was answered with a 401: the next call reads anew, at most once in 30 s (design: secrets). */
  refused(token: string): void;
}

/** 32 bytes in base64url without padding. The last of the 43 characters carries four bits: two of its bits must be 0. */
const canonical = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;

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
 * rotation has no overlap (the contract). The rules of every token we send, and its form checked besides.
 */
export function capacityToken(
  source: SecretSource,
  clock: Clock,
  settings: { readonly cacheMs: number },
): CapacityToken {
  const bearer = bearerToken(source, clock, "capacity token", settings.cacheMs);
  let suspect: string | undefined;
  let reading: Promise<string> | undefined;

  async function read(): Promise<string> {
    if (suspect !== undefined) {
      const next = await bearer.after(suspect);
      if (next !== undefined) suspect = undefined;
    }
    return checkedToken(await bearer.current());
  }

  return {
    token() {
      // Several groups ask at once; one read of the secret serves them all.
      reading ??= read().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    refused(token) {
      suspect = token;
    },
  };
}
