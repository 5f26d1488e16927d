import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Cloud } from "../../infra/local/aws/cloud.ts";
import type { Template } from "../../infra/local/helmr/model/shape.ts";
import { type HelmrPeer, startHelmr } from "../../infra/local/helmr/peer.ts";
import { type LocalZoomiesApi, startZoomiesApi } from "../../infra/local/start/zoomies-api.ts";
import { type Controller, zoomiesController } from "../../infra/local/zoomies/controller.ts";
import { post } from "../../infra/local/zoomies/post.ts";

export const helmrFleet = {
  group: "default",
  pool: "general",
  autoScalingGroup: "helmr-general",
  regionId: "deployed-test",
} as const;

/** Two of the workload's tasks fit one host. */
const template: Template = {
  cpu_millis: 2_000,
  memory_bytes: 8_000_000_000,
  disk_bytes: 40_000_000_000,
  vm_slots: 2,
  platform: "firecracker/x86_64",
};

/** The private side of two integrations, on loopback ports and in this machine's time: Zoomies' API, and a whole Helmr. */
export interface Peers {
  readonly zoomies: LocalZoomiesApi;
  /** Its scheduler never looks: the rows send the events. */
  readonly controller: Controller;
  readonly helmr: HelmrPeer;
  readonly helmrToken: string;
  close(): Promise<void>;
}

export async function startPeers(cloud: Cloud): Promise<Peers> {
  const zoomies = await startZoomiesApi();
  const controller = zoomiesController(
    { destinationUrl: "", signingSecret: "", apiTokens: zoomies.tokens },
    { clock: { now: () => Date.now() }, random: Math.random, post, wait: (ms) => pause(ms) },
  );
  controller.addPool({ id: "pool_spot" });
  zoomies.answerWith(controller.api);
  const helmrToken = randomBytes(32).toString("base64url");
  const helmr = await startHelmr({
    cloud,
    random: Math.random,
    token: helmrToken,
    regionId: helmrFleet.regionId,
    fleets: [{ ...helmrFleet, template }],
    workerTimings: { bootMs: [500, 1_000], activateMs: 500, observeMs: 5_000, drainPollMs: 1_000 },
  });
  return {
    zoomies,
    controller,
    helmr,
    helmrToken,
    async close() {
      await helmr.close();
      await zoomies.close();
    },
  };
}
