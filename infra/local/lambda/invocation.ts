/** How an invocation ended. */
export type Outcome =
  | { kind: "answered"; value: unknown }
  /** The handler threw, or its module could not be loaded. */
  | { kind: "failed"; errorType: string; message: string }
  | { kind: "timed-out" }
  /** The environment was ended in the middle, as when its process dies. */
  | { kind: "killed" }
  /** The account had no concurrency left: no code ran. */
  | { kind: "throttled" };

/** One invocation as the local world saw it. */
export type Invocation = {
  functionId: string;
  requestId: string;
  event: unknown;
  outcome: Outcome;
  /** Undefined when no environment served it. */
  environment: { number: number; accessKeyId: string; coldStart: boolean } | undefined;
  /** What the function wrote, line by line. */
  output: readonly string[];
};
