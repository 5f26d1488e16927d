import { AwsError } from "./aws-error.ts";
import { type ApiCall, type CallLog, createCallLog } from "./call-log.ts";
import { throttled } from "./service-codes.ts";

/** What goes wrong with one call. */
export type FaultEffect =
  | { kind: "throttle" }
  | { kind: "error"; code: string; message?: string; httpStatus?: number }
  /** The answer comes `ms` late; with `effect: "late"` the effect does too, after a client may have given up. */
  | { kind: "delay"; ms: number; effect?: "at-once" | "late" }
  /** The effect happens and the connection breaks before the answer. */
  | { kind: "reply-lost" }
  /** The connection breaks and nothing happened. */
  | { kind: "reset" }
  /** The calling environment dies, before or after the effect: this call and all its later ones get no answer. */
  | { kind: "kill"; moment: "before" | "after" };

export type FaultRule = FaultEffect & {
  /** `service:Operation`, `service:*` or `*`. */
  on: string;
  /** Which of the matching calls: every one (the default), the n-th from now (1 is the next), or the next few. */
  at?: "every" | { nth: number } | { next: number };
  caller?: string;
  where?: (input: never) => boolean;
};

/** The connection broke: nobody hears an answer. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}

/** How a transport waits, in the time of its world, and how it tells a refusal that is an answer to it (`ok` when it is none). */
interface Medium<T> {
  wait(ms: number): Promise<void>;
  outcomeOf?(answer: T): string;
}

export interface Faults extends CallLog {
  /** Adds a rule; the answer takes it away again. Where several match, the oldest wins, and each counts the call. */
  add(rule: FaultRule): () => void;
  /** Takes all rules away and lets the dead live. */
  clear(): void;
  /** From here on the caller's calls have neither effect nor answer. */
  kill(caller: string): void;
  isDead(caller: string): boolean;
  /** Performs a call under the rules. Throws ConnectionLost where the caller would hear nothing, AwsError where it is refused. */
  perform<T>(call: ApiCall, now: number, effect: () => T | Promise<T>, medium: Medium<T>): Promise<T>;
}

const addressable = /^(?:\*|(?:auto-scaling|ec2|secretsmanager|dynamodb):(?:\*|[A-Z]\w+))$/;

export function createFaults(log: CallLog = createCallLog()): Faults {
  const rules = new Set<{ rule: FaultRule; seen: number }>();
  const dead = new Set<string>();
  const faultOf = (call: ApiCall): FaultRule | undefined => {
    let found: FaultRule | undefined;
    for (const entry of rules) {
      if (!concerns(entry.rule, call)) continue;
      entry.seen += 1;
      if (found === undefined && applies(entry.rule, entry.seen)) found = entry.rule;
    }
    return found;
  };
  return {
    get calls() {
      return log.calls;
    },
    record: log.record,
    count: log.count,
    mutations: log.mutations,
    reset: log.reset,
    add(rule) {
      if (!addressable.test(rule.on)) throw new TypeError(`No call is ever named "${rule.on}"`);
      const entry = { rule, seen: 0 };
      rules.add(entry);
      return () => rules.delete(entry);
    },
    clear() {
      rules.clear();
      dead.clear();
    },
    kill: (caller) => void dead.add(caller),
    isDead: (caller) => dead.has(caller),
    async perform(call, now, effect, medium) {
      const entry = log.record(call, now);
      if (dead.has(call.caller)) {
        entry.outcome = "dead";
        throw new ConnectionLost("the caller is dead");
      }
      try {
        const fault = faultOf(call);
        if (fault !== undefined) entry.fault = fault.kind;
        const answer = await under(fault, call, effect, medium, () => dead.add(call.caller));
        entry.outcome = medium.outcomeOf?.(answer) ?? "ok";
        return answer;
      } catch (error) {
        entry.outcome = error instanceof ConnectionLost ? "lost" : error instanceof AwsError ? error.code : "broken";
        throw error;
      }
    },
  };
}

async function under<T>(
  fault: FaultRule | undefined,
  call: ApiCall,
  effect: () => T | Promise<T>,
  medium: Medium<T>,
  die: () => void,
): Promise<T> {
  switch (fault?.kind) {
    case undefined:
      return effect();
    case "throttle":
      throw throttled(call.service);
    case "error":
      throw new AwsError(fault.code, fault.message ?? "This error was asked for.", fault.httpStatus ?? 400);
    case "delay": {
      if (fault.effect === "late") {
        await medium.wait(fault.ms);
        return effect();
      }
      const answer = await effect();
      await medium.wait(fault.ms);
      return answer;
    }
    case "reset":
      throw new ConnectionLost("the connection was reset before the effect");
    case "reply-lost":
      // An error is lost on its way as an answer is.
      await Promise.resolve()
        .then(effect)
        .catch(() => {});
      throw new ConnectionLost("the reply was lost after the effect");
    case "kill":
      die();
      if (fault.moment === "after")
        await Promise.resolve()
          .then(effect)
          .catch(() => {});
      throw new ConnectionLost(`the caller died ${fault.moment} the effect`);
  }
}

function concerns(rule: FaultRule, call: ApiCall): boolean {
  const named = rule.on === "*" || rule.on === `${call.service}:*` || rule.on === `${call.service}:${call.operation}`;
  const mine = rule.caller === undefined || rule.caller === call.caller;
  return named && mine && (rule.where === undefined || rule.where(call.input as never));
}

function applies(rule: FaultRule, seen: number): boolean {
  const { at = "every" } = rule;
  if (at === "every") return true;
  return "nth" in at ? seen === at.nth : seen <= at.next;
}
