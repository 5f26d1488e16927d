import { describe, expect, it } from "vitest";
import type { ControlPlane } from "../../lib/helmr/control-plane.ts";
import { CapacityPaused, ledgerPauses, unlessPaused } from "../../lib/helmr/pause.ts";
import { ledgerRecords } from "../../lib/ledger/records.ts";
import { MemoryTable } from "../ledger/memory-table.ts";

function world() {
  const clock = { time: 1_000, now: () => clock.time };
  let tokens = 0;
  const newToken = () => {
    tokens += 1;
    return `writer-${tokens}`;
  };
  return { clock, pauses: ledgerPauses(ledgerRecords(new MemoryTable(), clock, newToken), clock) };
}

/** Counts what it is asked; a class, as stand-ins are, whose methods need their own `this`. */
class Counting {
  asked = 0;
  async deployment() {
    this.asked += 1;
    return "answer";
  }
}

describe("a paused Worker group", () => {
  it("is paused by name until it is resumed, and others are not", async () => {
    const { clock, pauses } = world();
    expect(await pauses.read("default")).toBeUndefined();
    expect(await pauses.isPaused("default")).toBe(false);
    await pauses.set("default", true, "token rotation");
    expect(await pauses.read("default")).toEqual({ isPaused: true, reason: "token rotation", at: 1_000 });
    expect(await pauses.isPaused("other")).toBe(false);
    clock.time = 2_000;
    await pauses.set("default", false, "rotated");
    expect(await pauses.read("default")).toEqual({ isPaused: false, reason: "rotated", at: 2_000 });
  });

  it("asks the Control Plane nothing from the next request on", async () => {
    const { pauses } = world();
    const peer = new Counting();
    const held = unlessPaused(peer as unknown as ControlPlane, () => pauses.isPaused("default"));
    expect(await held.deployment()).toBe("answer");
    await pauses.set("default", true, "");
    await expect(held.deployment()).rejects.toThrow(CapacityPaused);
    await pauses.set("default", false, "");
    expect(await held.deployment()).toBe("answer");
    expect(peer.asked).toBe(2);
  });

  it("is asked nothing either when the flag cannot be read", async () => {
    const peer = new Counting();
    const held = unlessPaused(peer as unknown as ControlPlane, () => Promise.reject(new Error("ledger away")));
    await expect(held.deployment()).rejects.toThrow("ledger away");
    expect(peer.asked).toBe(0);
  });
});
