import type { Check, Diagnosis } from "../diagnosis.ts";
import { valueOr } from "../known.ts";

const mostSkewMs = 30_000;
/** A burst of events, an invocation that lives for each scheduled function, and everything else in the account. */
const fewExecutions = 100;

/** This machine's clock against AWS's. */
export const clockSkew: Check = ({ skewMs }) => {
  const skew = valueOr(skewMs, 0);
  if (Math.abs(skew) <= mostSkewMs) return [];
  const found: Diagnosis = {
    severity: "error",
    code: "clock_skew",
    resource: "this machine",
    what: `Its clock is ${Math.round(Math.abs(skew) / 1000)} s ${skew > 0 ? "ahead of" : "behind"} AWS's.`,
    why: "What it signs is refused beyond the replay window. Check the senders' clocks too: theirs decide.",
    fix: "Turn time synchronisation on.",
  };
  return [found];
};

/** How many executions the account leaves for Drover. */
export const concurrency: Check = ({ concurrency: left }) => {
  const executions = valueOr(left, Number.POSITIVE_INFINITY);
  if (executions >= fewExecutions) return [];
  const found: Diagnosis = {
    severity: "warning",
    code: "low_concurrency",
    resource: "Lambda",
    what: `The account runs at most ${executions} functions at one time.`,
    why: "An event beyond that is refused by API Gateway before Drover sees it, and Zoomies is then silent until its cooldown ends.",
    fix: "Ask for more in Service Quotas (Concurrent executions). It costs nothing.",
  };
  return [found];
};
