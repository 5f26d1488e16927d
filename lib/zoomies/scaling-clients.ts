import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import type { AutoScalingClients } from "../capacity/auto-scaling-groups.ts";
import { clientTimeouts } from "../edge/client-timeouts.ts";

/** One raise's timeout, well inside the lease that it is sent under. */
export const raiseTimeoutMs = 2_000;

/** Reads may repeat by themselves, mutations go out once (design: rule 3). */
export function scalingClients(): AutoScalingClients {
  const reads = new AutoScalingClient(clientTimeouts(raiseTimeoutMs, 2));
  // One pool of connections for both: the raise goes out on the connection that the describe has just used.
  return { reads, mutations: new AutoScalingClient({ maxAttempts: 1, requestHandler: reads.config.requestHandler }) };
}
