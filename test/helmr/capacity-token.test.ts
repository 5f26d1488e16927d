import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SecretSource } from "../../lib/edge/secret-source.ts";
import { CapacityTokenMalformed, capacityToken, checkedToken } from "../../lib/helmr/capacity-token.ts";

const bytes = (seed: string) => Buffer.alloc(32, seed).toString("base64url");

/** A secret store with one current version, which counts how often it is read. */
class Store implements SecretSource {
  reads = 0;
  current: string | Error | undefined;
  constructor(current: string | Error | undefined) {
    this.current = current;
  }
  async read(stage: string) {
    this.reads += 1;
    if (stage !== "AWSCURRENT") throw new Error(`${stage} is never sent`);
    if (this.current instanceof Error) throw this.current;
    return this.current === undefined ? undefined : { value: this.current, createdAt: 0 };
  }
}

function world(current: string | Error | undefined) {
  const store = new Store(current);
  const clock = { time: 1_000_000, now: () => clock.time };
  return { store, clock, token: capacityToken(store, clock, { cacheMs: 60_000 }) };
}

describe("the capacity token", () => {
  it("takes exactly the canonical form of 32 bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 40 }), (raw) => {
        const text = Buffer.from(raw).toString("base64url");
        if (raw.length === 32) expect(checkedToken(text)).toBe(text);
        else expect(() => checkedToken(text)).toThrow(CapacityTokenMalformed);
      }),
    );
  });

  it("is canonical exactly when decoding and encoding give it back", () => {
    const letter = fc.constantFrom(...bytes("x"), ..."AEIMabc019-_+/= ");
    fc.assert(
      fc.property(fc.string({ unit: letter, minLength: 42, maxLength: 44 }), (text) => {
        const decoded = Buffer.from(text, "base64url");
        const isCanonical = decoded.length === 32 && decoded.toString("base64url") === text;
        if (isCanonical) expect(checkedToken(text)).toBe(text);
        else expect(() => checkedToken(text)).toThrow(CapacityTokenMalformed);
      }),
    );
  });

  it("takes 16 of the 64 letters at its end: the others carry bits that no byte holds", () => {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const isTaken = (last: string) => {
      try {
        return checkedToken(`${"A".repeat(42)}${last}`) !== "";
      } catch {
        return false;
      }
    };
    expect([...letters].filter(isTaken).join("")).toBe("AEIMQUYcgkosw048");
  });

  it.each([
    ["padding", `${bytes("a")}=`],
    ["a cut token", bytes("a").slice(1)],
    ["standard base64", Buffer.alloc(32, 0xff).toString("base64").slice(0, 43)],
  ])("refuses %s with the way to make one, and without showing it", async (_name, text) => {
    const { token } = world(text);
    const error = await token.token().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CapacityTokenMalformed);
    expect(String(error)).toContain("openssl rand");
    expect(inspect(error)).not.toContain(text);
  });

  it("is read once for many requests, and again when the cache ends", async () => {
    const { token, store, clock } = world(bytes("a"));
    await Promise.all([token.token(), token.token(), token.token()]);
    expect(store.reads).toBe(1);
    clock.time += 59_999;
    await token.token();
    expect(store.reads).toBe(1);
    store.current = bytes("b");
    clock.time += 1;
    expect(await token.token()).toBe(bytes("b"));
  });

  it("after a 401 is read again, at most once in 30 seconds", async () => {
    const { token, store, clock } = world(bytes("a"));
    await token.token();
    clock.time += 29_000;
    token.refused(bytes("a"));
    await token.token();
    expect(store.reads).toBe(1);
    clock.time += 1_000;
    await token.token();
    expect(store.reads).toBe(2);
    token.refused(bytes("a"));
    for (let second = 0; second < 29; second += 1) {
      clock.time += 1_000;
      await token.token();
      token.refused(bytes("a"));
    }
    expect(store.reads).toBe(2);
    store.current = bytes("b");
    clock.time += 1_000;
    expect(await token.token()).toBe(bytes("b"));
  });

  it("is not suspect because an older one was refused", async () => {
    const { token, store, clock } = world(bytes("b"));
    await token.token();
    token.refused(bytes("a"));
    clock.time += 40_000;
    await token.token();
    expect(store.reads).toBe(1);
  });

  it.each([
    ["an empty secret", ""],
    ["a placeholder", "replace-me"],
  ])("knows %s for one that nobody has set", async (_name, text) => {
    await expect(world(text).token.token()).rejects.toMatchObject({ name: "SecretNotSet" });
  });

  it("forgives the line break that an editor leaves", async () => {
    expect(await world(`${bytes("a")}\n`).token.token()).toBe(bytes("a"));
  });

  it("is read again when the cache ends, also after an older token was refused", async () => {
    const { token, store, clock } = world(bytes("b"));
    await token.token();
    token.refused(bytes("a"));
    await token.token();
    clock.time += 60_000;
    store.current = bytes("c");
    expect(await token.token()).toBe(bytes("c"));
  });

  it("tells a missing secret from a store that does not answer, and keeps neither", async () => {
    const { token, store } = world(undefined);
    await expect(token.token()).rejects.toMatchObject({ name: "SecretNotSet" });
    store.current = new Error("throttled");
    await expect(token.token()).rejects.toMatchObject({ name: "SecretUnreadable" });
    store.current = bytes("a");
    expect(await token.token()).toBe(bytes("a"));
  });

  it("does not show in what holds it", async () => {
    const { token } = world(bytes("a"));
    await token.token();
    expect(inspect(token, { depth: 9, showHidden: true }) + JSON.stringify(token)).not.toContain(bytes("a"));
  });
});
