import { ControlPlaneError, ControlPlaneUnreachable } from "../../../lib/helmr/control-plane.ts";
import { LedgerUnavailable } from "../../../lib/ledger/table.ts";
import type { Mishap, Peril } from "../crash-points.ts";
import type { Scene } from "./scene.ts";

const awsMutation = /^aws\.(?:Set|Terminate|Complete|Record)/;
const helmrMutation = /^helmr\.(?:scaleIn|drain|lost|replaceResourcePolicy|setPrimaryPool)$/;

/** What befalls the function's calls, as the play's trouble has it. */
export function peril(scene: Scene): Peril {
  const chance = scene.chance.fork();
  const { callTrouble, crashes } = scene.setting;
  return {
    time: scene.time,
    latencyMs(call) {
      if (call.startsWith("ledger")) return chance.is(0.1) ? chance.whole(2, 40) : 0;
      if (scene.isTroubled && chance.is(0.01)) return chance.whole(500, 2_400);
      return call.startsWith("aws") ? chance.whole(20, 160) : chance.whole(4, 40);
    },
    mishap(call): Mishap {
      const isHelmr = call.startsWith("helmr");
      if (isHelmr && scene.isDown) return { kind: "refused", error: new ControlPlaneUnreachable("down") };
      if (!scene.isTroubled) return { kind: "none" };
      if (chance.is(crashes)) return { kind: "crash", moment: chance.pick(["before", "after"] as const) };
      if (!chance.is(callTrouble)) return { kind: "none" };
      if (isHelmr) return helmrMishap(helmrMutation.test(call));
      return call.startsWith("aws")
        ? awsMishap(awsMutation.test(call), call.includes("DescribeInstances"))
        : ledgerMishap(call);
    },
  };

  function helmrMishap(isMutation: boolean): Mishap {
    const error = new ControlPlaneUnreachable("the connection broke");
    const unavailable = new ControlPlaneError(503, "service_unavailable", "not now");
    const before: Mishap[] = [
      { kind: "refused", error },
      { kind: "refused", error: unavailable },
    ];
    if (!isMutation) return chance.pick(before);
    const after: Mishap[] = [
      { kind: "reply-lost", error },
      { kind: "lands-late", error, afterMs: chance.whole(100, 8_000) },
    ];
    return chance.pick([...before, ...after]);
  }

  function awsMishap(isMutation: boolean, isEc2: boolean): Mishap {
    const throttled = named(isEc2 ? "RequestLimitExceeded" : "Throttling");
    const before: Mishap[] = [
      { kind: "refused", error: throttled },
      { kind: "refused", error: Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }) },
    ];
    if (!isMutation) return chance.pick(before);
    const after: Mishap[] = [
      { kind: "reply-lost", error: named("TimeoutError") },
      { kind: "reply-lost", error: named("InternalFailure") },
      { kind: "lands-late", error: named("TimeoutError"), afterMs: chance.whole(100, 10_000) },
    ];
    return chance.pick([...before, ...after]);
  }

  function ledgerMishap(call: string): Mishap {
    const error = new LedgerUnavailable("The ledger did not answer.");
    if (call !== "ledger.put") return { kind: "refused", error };
    return chance.pick<Mishap>([{ kind: "refused", error }, { kind: "reply-lost", error }, { kind: "repeated" }]);
  }
}

const named = (name: string): Error => Object.assign(new Error(name), { name });
