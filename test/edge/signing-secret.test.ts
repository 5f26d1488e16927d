import { beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { SecretNotSet, SecretUnreadable, type SigningSecret, signingSecret } from "../../lib/edge/signing-secret.ts";
import { SecretShelf } from "./secret-shelf.ts";

const minute = 60_000;
const settings = { cacheMs: minute, overlapMs: 60 * minute };
const start = Date.UTC(2026, 8, 5, 12);

let clock: ManualClock;
let shelf: SecretShelf;
let secret: SigningSecret;

/** Whether something signed with `value` is accepted. */
const accepts = (value: string): Promise<boolean> => secret.accepts((candidate) => candidate.toString() === value);

beforeEach(() => {
  clock = new ManualClock(start);
  shelf = new SecretShelf();
  secret = signingSecret(shelf, clock, settings);
});

describe("a signing secret", () => {
  test("is read once and then used for the cache's time", async () => {
    shelf.rotate("one", start - 100 * minute);
    expect(await accepts("one")).toBe(true);
    clock.advance(minute - 1);
    expect(await accepts("one")).toBe(true);
    expect(shelf.reads).toEqual(["AWSCURRENT"]);
    clock.advance(1);
    expect(await accepts("one")).toBe(true);
    expect(shelf.reads).toEqual(["AWSCURRENT", "AWSCURRENT"]);
  });

  test("that was changed works after the cache's time without a new deployment (cases.md 6)", async () => {
    shelf.rotate("one", start - 100 * minute);
    await accepts("one");
    shelf.rotate("two", start);
    clock.advance(minute);
    expect(await accepts("two")).toBe(true);
  });

  test.each([`a<&%"\\z`, "ümlaut", " spaces around ", "🚀", "line\nbreak", "x", "0", "null", '{"a":"b"}'])(
    "may be %j: it is used as its raw UTF-8 bytes",
    async (value) => {
      shelf.rotate(value, start - 100 * minute);
      let seen: Buffer | undefined;
      await secret.accepts((candidate) => {
        seen = candidate;
        return true;
      });
      expect(seen).toEqual(Buffer.from(value, "utf8"));
    },
  );

  test.each(["", "  ", "\n", "REPLACE_ME", "replace-me", "changeme", "Change-This", "<secret>", "placeholder", "TODO"])(
    "that still holds the placeholder %j is not set, and nothing is verified with it",
    async (value) => {
      shelf.rotate(value, start - 100 * minute);
      await expect(accepts(value)).rejects.toThrow(SecretNotSet);
    },
  );

  test("that does not exist is not set", async () => {
    await expect(accepts("one")).rejects.toThrow(SecretNotSet);
  });

  test("that was not set is looked for again at the next request", async () => {
    await expect(accepts("one")).rejects.toThrow(SecretNotSet);
    shelf.rotate("one", start);
    expect(await accepts("one")).toBe(true);
  });

  test("that cannot be read is an outage, with its cause; the failed read is not cached", async () => {
    shelf.rotate("one", start - 100 * minute);
    const cause = new Error("no route to host");
    shelf.fail(cause);
    await expect(accepts("one")).rejects.toThrow(SecretUnreadable);
    await expect(accepts("one")).rejects.toMatchObject({ cause });
    shelf.fail(undefined);
    expect(await accepts("one")).toBe(true);
  });

  test("is used from the cache while it cannot be read", async () => {
    shelf.rotate("one", start - 100 * minute);
    await accepts("one");
    shelf.fail(new Error("no route to host"));
    clock.advance(minute - 1);
    expect(await accepts("one")).toBe(true);
  });

  test("that fails to be read while its cache ends is not taken from the ended cache", async () => {
    shelf.rotate("one", start - 100 * minute);
    await accepts("one");
    shelf.fail(new Error("no route to host"));
    clock.advance(minute);
    await expect(accepts("one")).rejects.toThrow(SecretUnreadable);
  });

  test("never shows its value in what it throws", async () => {
    for (const value of ["<hush-hush>", "changeme-hush-hush"]) {
      shelf.rotate(value, start);
      const error = await accepts("one").then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(SecretNotSet);
      expect(`${(error as Error).message}${(error as Error).stack}`).not.toContain("hush");
    }
  });
});

describe("during a rotation", () => {
  beforeEach(() => {
    shelf.rotate("one", start - 100 * minute);
    shelf.rotate("two", start);
  });

  test("both secrets are accepted until the overlap ends, then only the new one (cases.md 5)", async () => {
    expect(await accepts("two")).toBe(true);
    expect(await accepts("one")).toBe(true);
    clock.set(start + settings.overlapMs);
    expect(await accepts("one")).toBe(true);
    clock.advance(1);
    expect(await accepts("one")).toBe(false);
    expect(await accepts("two")).toBe(true);
  });

  test("the old one ends with the overlap even while both are cached", async () => {
    clock.set(start + settings.overlapMs - 1);
    expect(await accepts("one")).toBe(true);
    clock.advance(2);
    expect(await accepts("one")).toBe(false);
  });

  test("the one before the old one is refused", async () => {
    shelf.rotate("three", start + minute);
    clock.advance(minute);
    expect(await accepts("three")).toBe(true);
    expect(await accepts("two")).toBe(true);
    expect(await accepts("one")).toBe(false);
  });

  test("that follows another one at once, each is the old one in its turn", async () => {
    expect(await accepts("one")).toBe(true);
    shelf.rotate("three", start + minute);
    clock.advance(minute);
    expect(await accepts("two")).toBe(true);
    expect(await accepts("one")).toBe(false);
  });

  test("the old one is read only when a signature needs it, and once for the cache's time", async () => {
    await accepts("two");
    expect(shelf.reads).toEqual(["AWSCURRENT"]);
    await accepts("one");
    await accepts("one");
    expect(shelf.reads).toEqual(["AWSCURRENT", "AWSPREVIOUS"]);
  });

  test("that this process has not seen, an unknown signature makes it look", async () => {
    await accepts("two");
    shelf.rotate("three", start + 30_000);
    clock.advance(30_000);
    expect(await accepts("three")).toBe(true);
  });
});

test("an absent previous version is normal: a wrong signature is just wrong", async () => {
  shelf.rotate("one", start);
  expect(await accepts("other")).toBe(false);
  expect(await accepts("one")).toBe(true);
});

test("a previous version that cannot be read says nothing about the signature", async () => {
  shelf.rotate("zero", start);
  shelf.rotate("one", start);
  await accepts("one");
  shelf.fail(new Error("no route to host"));
  expect(await accepts("one")).toBe(true);
  await expect(accepts("zero")).rejects.toThrow(SecretUnreadable);
});

test("unknown signatures make it read at most once in half a minute, however many there are", async () => {
  shelf.rotate("one", start - 100 * minute);
  await accepts("one");
  for (let second = 1; second <= 300; second += 1) {
    clock.advance(1_000);
    await accepts("forged");
    await accepts("forged");
  }
  // The first read, and one for each of the ten half minutes.
  expect(shelf.reads.length).toBeLessThanOrEqual(11);
});

test("a failed look for a rotation is not made again before half a minute either", async () => {
  shelf.rotate("one", start - 100 * minute);
  await accepts("one");
  clock.advance(30_000);
  shelf.fail(new Error("no route to host"));
  await expect(accepts("forged")).rejects.toThrow(SecretUnreadable);
  clock.advance(1_000);
  expect(await accepts("forged")).toBe(false);
  expect(await accepts("one")).toBe(true);
  expect(shelf.reads).toEqual(["AWSCURRENT", "AWSCURRENT"]);
});
