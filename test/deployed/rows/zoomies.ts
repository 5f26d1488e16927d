import { groupOf } from "../../../infra/local/fleets.ts";
import { type CapacityEvent, goTimestamp, newEventId } from "../../../infra/local/zoomies/event.ts";
import type { Host } from "../../../infra/local/zoomies/fleet.ts";
import type { PostReply } from "../../../infra/local/zoomies/post.ts";
import { signedRequest } from "../../../infra/local/zoomies/signed-request.ts";
import { putSecret, secretOf } from "../secret.ts";
import { postTo } from "../send-signed.ts";
import { until } from "../until.ts";
import { type DeployedWorld, stackName } from "../world.ts";

export const zoomiesGroup = "zoomies-linux";
const pool = "pool_deployed";
const slotsPerHost = 2;

/** One group with `slotsPerHost` slots a host, empty, at most 20 hosts. */
export function createZoomiesGroup({ simulator }: DeployedWorld): void {
  simulator.cloud.createGroup(
    zoomiesGroup,
    groupOf({ name: zoomiesGroup, pools: [pool], slotsPerHost, maxSize: 20 }, stackName),
  );
}

const spotGroup = "zoomies-spot";

/** Another one, with one host and Drover in charge of it. */
export function createSpotGroup({ simulator }: DeployedWorld): void {
  const tags = { "drover:scale-in": "verified", "drover:idle-minutes": "120" };
  simulator.cloud.createGroup(
    spotGroup,
    groupOf({ name: spotGroup, pools: ["pool_spot"], slotsPerHost, minSize: 1, tags }, stackName),
  );
}

/** The tokens of Zoomies' API, where the stack reads them. */
export async function putZoomiesTokens(world: DeployedWorld): Promise<void> {
  await putSecret(world, "ZoomiesHostsToken", world.peers.zoomies.hostsToken);
  await putSecret(world, "ZoomiesJoinsToken", world.peers.zoomies.joinsToken);
}

/** The spot group's instance, joined: the controller's row of it. */
export async function joinSpotHost({ simulator, peers }: DeployedWorld): Promise<Host> {
  const instance = await until("the spot group has its host", 60_000, async () =>
    simulator.cloud.group(spotGroup)?.Instances?.find(({ LifecycleState }) => LifecycleState === "InService"),
  );
  return peers.controller.joinHost({ name: instance.InstanceId ?? "", capacity: slotsPerHost });
}

export const desiredCapacity = ({ simulator }: DeployedWorld) => simulator.cloud.group(zoomiesGroup)?.DesiredCapacity;

export const zoomiesSecret = (world: DeployedWorld) => secretOf(world, "ZoomiesWebhookSecret");

/** Demand for so many hosts' worth of slots, with none there yet. */
export function demandFor(hosts: number): CapacityEvent {
  const slots = hosts * slotsPerHost;
  return {
    schema_version: 1,
    event_id: newEventId(Math.random),
    type: "capacity_demand",
    timestamp: goTimestamp(Date.now()),
    pool_id: pool,
    host_selector: {},
    backend: "docker",
    required_runner_slots: slots,
    current_capacity: 0,
    queued_job_count: slots,
    oldest_queue_age_seconds: 30,
  };
}

/** Signs and posts an event to the URL that the stack's output names. */
export async function sendZoomies(world: DeployedWorld, event: CapacityEvent, secret?: string): Promise<PostReply> {
  const { body, headers } = signedRequest(event, secret ?? (await zoomiesSecret(world)));
  world.confidential.add(headers["X-Zoomies-Signature-256"]?.replace("sha256=", "") ?? "");
  return postTo(world, world.stack.outputs["ZoomiesWebhookUrl"] ?? "", body, headers);
}
