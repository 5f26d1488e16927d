import { createHmac, randomBytes } from "node:crypto";
import type { Instance } from "@aws-sdk/client-ec2";
import type { Invocation } from "../../infra/local/lambda/invocation.ts";
import type { KiciScaler } from "../../infra/local/scalers.ts";
import { post } from "../../infra/local/zoomies/post.ts";
import { startWorld, type TestWorld, type TestWorldOptions } from "../world.ts";

export type KiciReply = {
  status: number;
  /** The whole JSON body. */
  answer: { status?: string; agentId?: string; instanceId?: string; code?: string; message?: string };
  retryAfter: number | undefined;
};

export type Payload = Record<string, unknown>;

export type KiciWorld = TestWorld & {
  /** A whole scale-up payload as an orchestrator emits it, its claim code a new one. */
  scaleUp(given?: Payload): Payload;
  scaleDown(given?: Payload): Payload;
  up(payload?: Payload): Promise<KiciReply>;
  down(payload?: Payload): Promise<KiciReply>;
  /** Posts any bytes to a route, signed unless `headers` say otherwise. */
  forward(
    route: "scale-up" | "scale-down",
    body: Buffer | string,
    headers?: Record<string, string>,
  ): Promise<KiciReply>;
  /** The three headers for any bytes, now, by the world's secret or another one. */
  signed(body: Buffer | string, secret?: string, at?: number): Record<string, string>;
  reap(): Promise<Invocation>;
  /** Instances of an agent that are not shutting down, as they truly are. */
  alive(agentId?: string): Instance[];
  /** Every instance that ever was launched. */
  launches(): number;
};

export const scaler = "aws-linux";
export const agent = "scaler-event-1a2b3c4d";

export async function startKici(
  given: KiciScaler | readonly KiciScaler[] = { name: scaler },
  options: TestWorldOptions = {},
): Promise<KiciWorld> {
  const world = await startWorld({ scalers: [given].flat() as KiciScaler[], ...options });
  let launched = 0;
  world.cloud.on((event) => {
    if (event.type === "instance-state" && event.reason === "launched") launched += 1;
  });

  const signed: KiciWorld["signed"] = (body, secret = world.secrets.kici.value, at = world.clock.now()) => {
    const id = `msg_${randomBytes(6).toString("hex")}`;
    const timestamp = String(Math.floor(at / 1000));
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const mac = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(Buffer.from(body)).digest("base64");
    return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${mac}` };
  };
  const forward: KiciWorld["forward"] = async (route, body, headers = {}) => {
    const bytes = Buffer.from(body);
    const all = {
      "Content-Type": "application/json",
      "Content-Length": String(bytes.length),
      ...signed(bytes),
      ...headers,
    };
    const reply = await post(`${world.api}/kici/${route}`, { body: bytes, headers: all }, 180_000);
    const retryAfter = reply.headers["retry-after"];
    return {
      status: reply.status,
      answer: JSON.parse(reply.body) as KiciReply["answer"],
      retryAfter: retryAfter === undefined ? undefined : Number(retryAfter),
    };
  };
  const scaleUp: KiciWorld["scaleUp"] = (payload = {}) => ({
    scalerName: scaler,
    agentId: agent,
    labels: ["default", "kici:agent:event", `kici:scaler:${scaler}`, "kici:role:builder"],
    mandatoryLabels: [],
    resources: {},
    orchestratorUrl: "wss://ci.example.com/ws",
    claimCode: randomBytes(32).toString("hex"),
    jobId: "job-1",
    requestId: randomBytes(8).toString("hex"),
    ...payload,
  });
  const scaleDown: KiciWorld["scaleDown"] = (payload = {}) => ({
    scalerName: scaler,
    agentId: agent,
    reason: "shutdown",
    requestId: randomBytes(8).toString("hex"),
    ...payload,
  });

  return {
    ...world,
    scaleUp,
    scaleDown,
    signed,
    forward,
    up: (payload = scaleUp()) => forward("scale-up", JSON.stringify(payload)),
    down: (payload = scaleDown()) => forward("scale-down", JSON.stringify(payload)),
    async reap() {
      const run = await world.schedules.fire("KiciReaper");
      if (run === undefined) throw new Error("A reaper run is still going on.");
      return run;
    },
    alive(agentId) {
      const states = new Set(["pending", "running", "stopping", "stopped"]);
      return world.cloud
        .allInstances()
        .filter(({ State }) => states.has(String(State?.Name)))
        .filter((instance) => agentId === undefined || tagOf(instance, "kici-agent-id") === agentId);
    },
    launches: () => launched,
  };
}

export const tagOf = (instance: Instance | undefined, key: string): string | undefined =>
  instance?.Tags?.find((tag) => tag.Key === key)?.Value;

/** An instance that Drover did not launch; `later` are tags that no request may carry. Gives its id. */
export function launchByHand(
  world: Pick<KiciWorld, "cloud">,
  tags: Readonly<Record<string, string>>,
  later: Readonly<Record<string, string>> = {},
): string {
  const { cloud } = world;
  const [image] = cloud.world.images.keys();
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  const { Instances: [instance] = [] } = cloud.call("ec2", "RunInstances", {
    ImageId: image,
    InstanceType: "m7i.large",
    MinCount: 1,
    MaxCount: 1,
    SubnetId: "subnet-00000000000000001",
    TagSpecifications: [{ ResourceType: "instance", Tags }],
  }) as { Instances?: Instance[] };
  const id = instance?.InstanceId ?? "";
  for (const [key, value] of Object.entries(later)) cloud.world.instances.get(id)?.tags.set(key, value);
  cloud.world.instanceViews.changed(id);
  return id;
}
