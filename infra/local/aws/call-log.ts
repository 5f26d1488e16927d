import { isMutating, type ServiceName } from "./service-codes.ts";

/** One API call before it is performed. */
export interface ApiCall {
  readonly service: ServiceName;
  readonly operation: string;
  /** The access key id that signed it: one for each environment of a function. */
  readonly caller: string;
  readonly input: object;
}

export interface LoggedCall extends ApiCall {
  readonly at: number;
  /** `pending`, `ok`, `lost` (no reply reached the caller), `dead` (a killed caller, no effect), or the error's code. */
  outcome: string;
  /** The kind of fault that met this call, if one did. */
  fault?: string;
}

export interface CallLog {
  /** The newest calls, oldest first. Secret values and user data never enter it. */
  readonly calls: readonly LoggedCall[];
  record(call: ApiCall, at: number): LoggedCall;
  /** How many calls are logged of an operation (`service:Operation`), or of all for which the predicate holds. */
  count(which: string | ((call: LoggedCall) => boolean)): number;
  /** The calls that would change something, whatever became of them. */
  mutations(): LoggedCall[];
  reset(): void;
}

const hidden = new Set(["SecretString", "SecretBinary", "UserData"]);

export function createCallLog(limit = 20_000): CallLog {
  let calls: LoggedCall[] = [];
  return {
    get calls() {
      return calls;
    },
    record(call, at) {
      const entry: LoggedCall = { ...call, input: withoutSecrets(call.input) as object, at, outcome: "pending" };
      calls.push(entry);
      // Dropped in large steps, so that a long simulation does not move the whole list with every call.
      if (calls.length > limit * 1.5) calls = calls.slice(-limit);
      return entry;
    },
    count(which) {
      if (typeof which !== "string") return calls.filter(which).length;
      return calls.filter((call) => `${call.service}:${call.operation}` === which).length;
    },
    mutations: () => calls.filter((call) => isMutating(call.operation)),
    reset() {
      calls = [];
    },
  };
}

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== "object" || value instanceof Date || ArrayBuffer.isView(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    hidden.has(key) ? "(hidden)" : withoutSecrets(inner),
  ]);
  return Object.fromEntries(entries);
}
