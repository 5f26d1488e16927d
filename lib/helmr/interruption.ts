import type { Group } from "../capacity/group.ts";
import { helmrFleet } from "../capacity/helmr-fleet.ts";
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
): Promise<{ fleet: string; outcome: string } | undefined> {
  const { fleet } = helmrFleet(group);
  if (fleet === undefined) return undefined;
  const told = (outcome: string) => ({ fleet: group.name, outcome });
  if (fleet.paused || (await parts.pauses.isPaused(fleet.workerGroup))) return told("paused, so left");
  const { worker_hosts: rows } = await parts.controlPlane.hosts({ resource_ids: [instance] });
  const row = rows.find(({ resource_id: id, status }) => id === instance && status === "active");
  if (row?.current_epoch === undefined) return told("no active host");
  try {
    await parts.controlPlane.drain(row.id, {
      expected_epoch: row.current_epoch,
      expected_claim_version: row.claim_version,
      reason: "capacity_reduction",
    });
    return told("draining");
  } catch (error) {
    // Gone from the list between look and drain: nothing is left to drain.
    if (error instanceof ControlPlaneError && error.status === 404) return told("no such host");
    throw error;
  }
}
