import { isCanonicalId } from "../../../lib/helmr/answer-fields.ts";
import type { ControlPlane } from "../../../lib/helmr/control-plane.ts";
import type { DrainReason, WorkerHost } from "../../../lib/helmr/protocol.ts";
import { done, failed, type Outcome } from "../../cli/outcome.ts";
import { UsageError } from "../../cli/usage-error.ts";
import { fenced } from "../fenced.ts";
import type { Reach } from "../reach.ts";

/** Idle scale-in is Helmr's own choice of a host (the contract: scale-in operations), so no one picks a host for it here. */
const reasons: readonly DrainReason[] = ["replacement", "capacity_reduction"];

/** Starts a host's drain under the fence just read. `named` is the host's id or its EC2 instance id. */
export async function drainHost(reach: Reach, named: string, reason: string | undefined): Promise<Outcome> {
  const chosen = reasons.find((known) => known === reason);
  if (chosen === undefined) throw new UsageError(`--reason must be one of: ${reasons.join(", ")}.`);
  const controlPlane = reach.controlPlane();
  const host = await findHost(controlPlane, named);
  if (host.status === "draining" || host.status === "termination_ready") {
    return done([`Nothing to do: ${shown(host)}. The first reason stays.`], host);
  }
  if (host.status !== "active" || host.current_epoch === undefined) {
    return failed([`Only an active host can be drained, and this is ${shown(host)}.`], host);
  }
  const fence = { expected_epoch: host.current_epoch, expected_claim_version: host.claim_version, reason: chosen };
  return fenced(
    () => controlPlane.drain(host.id, fence),
    (drained) =>
      done(
        [`${shown(drained)}. It ends its work first; Drover ends the instance once it is termination_ready.`],
        drained,
      ),
    async () => {
      const now = await controlPlane.host(host.id);
      return { line: `${shown(now)}.`, value: now };
    },
  );
}

async function findHost(controlPlane: ControlPlane, named: string): Promise<WorkerHost> {
  if (isCanonicalId(named)) return controlPlane.host(named);
  if (!/^i-[0-9a-f]{8,17}$/.test(named)) throw new UsageError("HOST must be a host's id or an EC2 instance id.");
  const { worker_hosts: hosts } = await controlPlane.hosts({ resource_ids: [named] });
  const [host, ...more] = hosts;
  if (host === undefined) throw new UsageError(`Helmr knows no host on ${named}.`);
  if (more.length > 0) throw new UsageError(`${named} is a host of several Worker groups; name the host by its id.`);
  return host;
}

function shown(host: WorkerHost): string {
  const reason = host.drain_reason === undefined ? "" : `, reason ${host.drain_reason}`;
  return `host ${host.id} on ${host.resource_id} is ${host.status}${reason}, epoch ${host.current_epoch ?? "none"}, claim ${host.claim_version}`;
}
