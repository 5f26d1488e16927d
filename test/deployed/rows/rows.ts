import { expect } from "vitest";
import { ledgerItems } from "../ledger.ts";
import { helmrFleet } from "../peers.ts";
import { postTo } from "../send-signed.ts";
import type { DeployedWorld } from "../world.ts";
import { createHelmrGroup, putCapacityToken, queueTasks } from "./helmr.ts";
import { interruptions } from "./interruption.ts";
import { createKiciTemplate, instancesOf, scaleDown, scaleUp, sendKici } from "./kici.ts";
import {
  createSpotGroup,
  createZoomiesGroup,
  demandFor,
  desiredCapacity,
  putZoomiesTokens,
  sendZoomies,
  zoomiesGroup,
} from "./zoomies.ts";

/**
 * Makes what an operator has before the deployment: groups in the account, controllers that answer.
 *
 * @returns the stack's parameters that switch every integration on: the test wants every function of template.yaml deployed
 */
export async function prepare(world: DeployedWorld): Promise<Readonly<Record<string, string>>> {
  createZoomiesGroup(world);
  createSpotGroup(world);
  createHelmrGroup(world);
  createKiciTemplate(world);
  return {
    Kici: "on",
    HandleInterruptions: "on",
    ZoomiesApiUrl: world.peers.zoomies.url,
    ZoomiesHostRoleArn: "arn:aws:iam::000000000000:role/zoomies-hosts",
    HelmrControlPlaneUrl: world.peers.helmr.server.url,
    HelmrRegionId: helmrFleet.regionId,
  };
}

/** What an operator does after it: puts the tokens of the controllers into the stack's secrets. Helmr has work from here on. */
export async function connect(world: DeployedWorld): Promise<void> {
  await putZoomiesTokens(world);
  await putCapacityToken(world);
  await queueTasks(world);
}

/** One real event through each route of the API. A route without a row here fails the test. */
export const routeRows: Readonly<Record<string, (world: DeployedWorld) => Promise<void>>> = {
  async "POST /zoomies/capacity"(world) {
    const event = demandFor(3);
    const reply = await sendZoomies(world, event);
    expect(reply).toMatchObject({ status: 204, headers: { "x-drover-outcome": "applied" } });
    expect(desiredCapacity(world)).toBe(3);

    const items = await ledgerItems(world);
    expect(items.map(({ pk }) => pk)).toContain(`event#zoomies#${event.event_id}`);
    const record = items.find(({ pk }) => pk === `group#${zoomiesGroup}`);
    const { readings } = JSON.parse(record?.body ?? "{}") as { readings: Record<string, unknown> };
    expect(readings[event.pool_id]).toMatchObject({ eventId: event.event_id, required: 6, capacity: 0 });

    const changes = world.simulator.faults.mutations().length;
    const again = await sendZoomies(world, event);
    expect(again).toMatchObject({ status: 204, headers: { "x-drover-outcome": "duplicate" } });
    expect(world.simulator.faults.mutations()).toHaveLength(changes);

    const forged = await sendZoomies(world, demandFor(9), "somebody else's secret");
    expect(forged.status).toBe(401);
    expect(world.simulator.faults.mutations()).toHaveLength(changes);
  },

  async "POST /zoomies/join"(world) {
    // MiniStack checks no IAM signature, so nothing tells the function which instance asks: it must not give out a token.
    const url = world.stack.outputs["ZoomiesJoinUrl"] ?? "";
    const reply = await postTo(world, url, Buffer.alloc(0), { "Content-Type": "application/json" });
    expect(reply.status).toBe(403);
    expect(reply.body).not.toContain("zoojoin_");
  },

  async "POST /kici/scale-up"(world) {
    const payload = scaleUp(world);
    const up = await sendKici(world, "KiciScaleUpUrl", payload);
    expect(up).toMatchObject({ status: 201, answer: { status: "launched", agentId: payload.agentId } });
    const again = await sendKici(world, "KiciScaleUpUrl", payload);
    expect(again).toMatchObject({ status: 200, answer: { status: "exists" } });
    expect(instancesOf(world, payload)).toHaveLength(1);
  },

  async "POST /kici/scale-down"(world) {
    const payload = scaleUp(world);
    await sendKici(world, "KiciScaleUpUrl", payload);
    expect(instancesOf(world, payload)).toHaveLength(1);
    const down = await sendKici(world, "KiciScaleDownUrl", scaleDown(payload));
    expect(down).toMatchObject({ status: 200, answer: { status: "terminating" } });
    expect(instancesOf(world, payload)).toEqual([]);
  },
};

/** The same for functions that neither a route nor a schedule starts, by their logical id. */
export const functionRows: Readonly<Record<string, (world: DeployedWorld) => Promise<void>>> = {
  Interruption: interruptions,
};
