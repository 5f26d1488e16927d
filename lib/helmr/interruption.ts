import type { Group } from "../capacity/group.ts";
import { helmrFleet } from "../capacity/helmr-fleet.ts";
import type { Answer } from "../interruption/handle-notices.ts";
import { type ControlPlane, ControlPlaneError } from "./control-plane.ts";
import type { Pauses } from "./pause.ts";

/**
 * Drains the host of an instance that EC2 takes or ends: `capacity_reduction`, under the fences just read. Helmr stops counting it
 * as it accepts the drain, and recommends what is missing. A fence that moved meanwhile comes through: the notice comes again and
 * is answered from a new look.
 *
 * @returns undefined when the group serves no Helmr pool
 */
export async function drainInterrupted(
  parts: { readonly controlPlane: Pick<ControlPlane, "hosts" | "drain">; readonly pauses: Pauses },
  group: Group,
  instance: string,
): Promise<Answer | undefined> {
  const { fleet } = helmrFleet(group);
  if (fleet === undefined) return undefined;
  const nothing = (because: string): Answer => ({ fleet: group.name, decided: "drain nothing", because });
  // Then Helmr is asked nothing at all: its token may be the one that is being replaced.
  if (await parts.pauses.isPaused(fleet.workerGroup)) return nothing("the Worker group is paused by an operator");
  const { worker_hosts: rows } = await parts.controlPlane.hosts({ resource_ids: [instance] });
  const row = rows.find(({ resource_id: id, status }) => id === instance && status === "active");
  if (row?.current_epoch === undefined) return nothing("it has no active host");
  const request = {
    expected_epoch: row.current_epoch,
    expected_claim_version: row.claim_version,
    reason: "capacity_reduction",
  } as const;
  return {
    fleet: group.name,
    decided: "drain its host",
    ...(fleet.paused ? { isPaused: true, because: "the group is paused" } : {}),
    async act() {
      try {
        await parts.controlPlane.drain(row.id, request);
        return "draining";
      } catch (error) {
        // Gone from the list between look and drain: nothing is left to drain.
        if (error instanceof ControlPlaneError && error.status === 404) return "no such host";
        throw error;
      }
    },
  };
}
