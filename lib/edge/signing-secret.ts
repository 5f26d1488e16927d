import type { Clock } from "./clock.ts";
import type { SecretSource, SecretVersion } from "./secret-source.ts";

/** The secret is not there, or nobody has set it yet: an operator's fault, to be told apart from an outage. */
export class SecretNotSet extends Error {
  override readonly name = "SecretNotSet";
}

/** The secret could not be read now. Nothing is known about the signature. */
export class SecretUnreadable extends Error {
  override readonly name = "SecretUnreadable";
}

export interface SigningSecretSettings {
  /** How long a value read is used without asking again. */
  readonly cacheMs: number;
  /** How young AWSCURRENT must be for AWSPREVIOUS to be honoured: the rotation's overlap. */
  readonly overlapMs: number;
}

export interface SigningSecret {
  /** Whether `check` accepts the current secret or, during a rotation, the previous one. */
  accepts(check: (secret: Buffer) => boolean): Promise<boolean>;
}

/** An unknown signature may be a rotation that we have not seen: worth one look, but no more often than this. */
const refreshAtMostEveryMs = 30_000;
const placeholder = /^\s*$|^(replace|change)[-_ ]?(me|this)|^<.*>$|^placeholder$|^todo$/i;

/** Whether a secret's value is what people leave there before they have the real one. */
export const isPlaceholder = (value: string): boolean => placeholder.test(value);

/**
 * A secret that we verify with (design: secrets; cases.md 5, 6). A failed read is never cached; an absent AWSPREVIOUS is
 * normal. Throws {@link SecretNotSet} and {@link SecretUnreadable}.
 */
export function signingSecret(source: SecretSource, clock: Clock, settings: SigningSecretSettings): SigningSecret {
  let current: SecretVersion | undefined;
  let previous: SecretVersion | "absent" | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;

  async function read(stage: "AWSCURRENT" | "AWSPREVIOUS"): Promise<SecretVersion | undefined> {
    try {
      return await source.read(stage);
    } catch (cause) {
      throw new SecretUnreadable(`The signing secret's ${stage} version could not be read.`, { cause });
    }
  }

  async function refresh(): Promise<SecretVersion> {
    triedAt = clock.now();
    const version = await read("AWSCURRENT");
    if (version === undefined) throw new SecretNotSet("The signing secret has no current version.");
    if (isPlaceholder(version.value)) throw new SecretNotSet("The signing secret still holds a placeholder.");
    current = version;
    previous = undefined;
    readAt = clock.now();
    return version;
  }

  async function previousWithinOverlap(of: SecretVersion): Promise<SecretVersion | undefined> {
    if (clock.now() - of.createdAt > settings.overlapMs) return undefined;
    previous ??= (await read("AWSPREVIOUS")) ?? "absent";
    return previous === "absent" ? undefined : previous;
  }

  async function matches(version: SecretVersion, check: (secret: Buffer) => boolean): Promise<boolean> {
    if (check(Buffer.from(version.value))) return true;
    const older = await previousWithinOverlap(version);
    return older !== undefined && check(Buffer.from(older.value));
  }

  return {
    async accepts(check) {
      const age = clock.now() - readAt;
      if (current !== undefined && age >= 0 && age < settings.cacheMs) {
        if (await matches(current, check)) return true;
        if (clock.now() - triedAt < refreshAtMostEveryMs) return false;
      }
      return matches(await refresh(), check);
    },
  };
}
