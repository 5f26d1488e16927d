import type { Cloud } from "../aws/cloud.ts";
import type { Workers } from "./workers.ts";

/**
 * Machines of the simulated AWS carry Helmr's workers: one that runs in a served group boots a worker, one that stops or
 * terminates takes it along, and one that waits in its termination hook is told (helmr-notes 4.3). The answer ends it.
 */
export function bindCloud(cloud: Pick<Cloud, "on">, workers: Workers): () => void {
  return cloud.on((event) => {
    if (event.type === "member-state" && event.to === "Terminating:Wait") workers.shutdownNotice(event.instanceId);
    if (event.type !== "instance-state") return;
    if (event.to === "running" && event.group !== undefined) {
      workers.instanceStarted(event.instanceId, event.group, event.at);
    } else if (event.to === "shutting-down" || event.to === "terminated" || event.to === "stopping") {
      workers.instanceGone(event.instanceId, event.at);
    }
  });
}
