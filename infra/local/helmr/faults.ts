import { Refusal } from "./model/refusal.ts";
import type { OperationName } from "./operations/operation.ts";

/** What goes wrong with one call. */
type HelmrFaultEffect =
  /** The Control Plane answers with an error and nothing happened. */
  | { kind: "error"; status: number; code?: string; message?: string }
  /** The connection breaks before anything happened. */
  | { kind: "unreachable" }
  /** It happens, and the connection breaks before the answer. */
  | { kind: "reply-lost" }
  /** The answer comes `ms` late; with `effect: "late"` the effect does too. */
  | { kind: "delay"; ms: number; effect?: "at-once" | "late" }
  /** It happens, and the answer is changed on its way: other words of an enum, missing fields, no object at all. */
  | { kind: "odd"; change: (answer: unknown) => unknown }
  /** The caller dies before or after the effect: this call and all its later ones get no answer. */
  | { kind: "kill"; moment: "before" | "after" };

type HelmrFaultRule = HelmrFaultEffect & {
  on: OperationName | "*";
  /** Which of the matching calls: every one (the default), the n-th from now (1 is the next), or the next few. */
  at?: "every" | { nth: number } | { next: number };
  caller?: string;
};

interface HelmrCall {
  readonly at: number;
  readonly operation: OperationName;
  readonly caller: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** `pending`, `ok`, `lost`, `dead`, or the envelope's code. */
  outcome: string;
}

/** The connection broke: nobody hears an answer. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

export interface HelmrFaults {
  /** The newest calls, oldest first. No token enters it. */
  readonly calls: readonly HelmrCall[];
  count(operation: OperationName): number;
  reset(): void;
  /** Adds a rule; the answer takes it away again. Where several match, the oldest wins, and each counts the call. */
  add(rule: HelmrFaultRule): () => void;
  /** Takes all rules away and lets the dead live. */
  clear(): void;
  kill(caller: string): void;
  /** Performs a call under the rules. Throws Refusal, or NoAnswer where the caller hears nothing. */
  perform(
    call: Omit<HelmrCall, "outcome">,
    effect: () => unknown,
    wait: (ms: number) => Promise<void>,
  ): Promise<unknown>;
}

const logLimit = 20_000;

export function createHelmrFaults(): HelmrFaults {
  let calls: HelmrCall[] = [];
  const rules = new Set<{ rule: HelmrFaultRule; seen: number }>();
  const dead = new Set<string>();
  const faultOf = (call: HelmrCall): HelmrFaultRule | undefined => {
    let found: HelmrFaultRule | undefined;
    for (const entry of rules) {
      const { on, caller } = entry.rule;
      if ((on !== "*" && on !== call.operation) || (caller !== undefined && caller !== call.caller)) continue;
      entry.seen += 1;
      if (found === undefined && applies(entry.rule, entry.seen)) found = entry.rule;
    }
    return found;
  };
  return {
    get calls() {
      return calls;
    },
    count: (operation) => calls.filter((call) => call.operation === operation).length,
    reset() {
      calls = [];
    },
    add(rule) {
      const entry = { rule, seen: 0 };
      rules.add(entry);
      return () => rules.delete(entry);
    },
    clear() {
      rules.clear();
      dead.clear();
    },
    kill: (caller) => void dead.add(caller),
    async perform(asked, effect, wait) {
      const call: HelmrCall = { ...asked, outcome: "pending" };
      calls.push(call);
      if (calls.length > logLimit * 1.5) calls = calls.slice(-logLimit);
      if (dead.has(call.caller)) {
        call.outcome = "dead";
        throw new NoAnswer("the caller is dead");
      }
      try {
        const answer = await under(faultOf(call), effect, wait, () => dead.add(call.caller));
        // A caller that died while it waited hears nothing either.
        if (dead.has(call.caller)) throw new NoAnswer("the caller is dead");
        call.outcome = "ok";
        return answer;
      } catch (error) {
        call.outcome = error instanceof NoAnswer ? "lost" : error instanceof Refusal ? error.code : "broken";
        throw error;
      }
    },
  };
}

async function under(
  fault: HelmrFaultRule | undefined,
  effect: () => unknown,
  wait: (ms: number) => Promise<void>,
  die: () => void,
): Promise<unknown> {
  switch (fault?.kind) {
    case undefined:
      return effect();
    case "error":
      throw new Refusal(fault.status, fault.message ?? "this error was asked for", fault.code);
    case "unreachable":
      throw new NoAnswer("the connection broke before the effect");
    case "reply-lost":
      ignoringErrors(effect);
      throw new NoAnswer("the reply was lost after the effect");
    case "delay": {
      if (fault.effect === "late") {
        await wait(fault.ms);
        return effect();
      }
      const answer = effect();
      await wait(fault.ms);
      return answer;
    }
    case "odd":
      return fault.change(structuredClone(effect()));
    case "kill":
      if (fault.moment === "after") ignoringErrors(effect);
      die();
      throw new NoAnswer(`the caller died ${fault.moment} the effect`);
  }
}

/** An error is lost on its way as an answer is. */
function ignoringErrors(effect: () => unknown): void {
  try {
    effect();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

function applies({ at = "every" }: HelmrFaultRule, seen: number): boolean {
  if (at === "every") return true;
  return "nth" in at ? seen === at.nth : seen <= at.next;
}
