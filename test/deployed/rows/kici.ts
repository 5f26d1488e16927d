import { randomBytes } from "node:crypto";
import type { Instance } from "@aws-sdk/client-ec2";
import { signed } from "../../../infra/examples/kici/forward-to-drover.ts";
import {
  labelsOf,
  newAgentId,
  newRequestId,
  type ScaleDownPayload,
  type ScaleUpPayload,
} from "../../../infra/local/kici/events.ts";
import { templateOf } from "../../../infra/local/scalers.ts";
import { secretOf } from "../secret.ts";
import { postTo } from "../send-signed.ts";
import { type DeployedWorld, stackName } from "../world.ts";

const scalerName = "aws-linux";

/** A launch template that serves one scaler. */
export function createKiciTemplate({ simulator }: DeployedWorld): void {
  simulator.cloud.createLaunchTemplate(templateOf({ name: scalerName }, stackName));
}

export function scaleUp({ confidential }: DeployedWorld): ScaleUpPayload {
  const claimCode = randomBytes(32).toString("hex");
  confidential.add(claimCode);
  return {
    scalerName,
    agentId: newAgentId(Math.random),
    labels: labelsOf(scalerName, ["default"]),
    mandatoryLabels: [],
    resources: {},
    orchestratorUrl: "wss://kici.example.com/ws",
    claimCode,
    requestId: newRequestId(Math.random),
  };
}

export const scaleDown = ({ agentId }: ScaleUpPayload): ScaleDownPayload => ({
  scalerName,
  agentId,
  reason: "shutdown",
  requestId: newRequestId(Math.random),
});

/** Signs and posts what the workflows forward, to the URL that an output of the stack names. */
export async function sendKici(
  world: DeployedWorld,
  output: "KiciScaleUpUrl" | "KiciScaleDownUrl",
  payload: ScaleUpPayload | ScaleDownPayload,
): Promise<{ status: number; answer: unknown }> {
  const body = JSON.stringify(payload);
  const secret = await secretOf(world, "KiciSecret");
  const signature = signed(secret, `msg_${newRequestId(Math.random)}`, body, Date.now());
  world.confidential.add(signature["webhook-signature"]?.slice("v1,".length) ?? "");
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(body)),
    ...signature,
  };
  const reply = await postTo(world, world.stack.outputs[output] ?? "", Buffer.from(body), headers);
  return { status: reply.status, answer: JSON.parse(reply.body) };
}

/** The agent's instances that cost money. */
export function instancesOf({ simulator }: DeployedWorld, { agentId }: ScaleUpPayload): Instance[] {
  const isAgents = ({ Tags = [] }: Instance) =>
    Tags.some(({ Key, Value }) => Key === "kici-agent-id" && Value === agentId);
  const isAlive = ({ State }: Instance) => State?.Name === "pending" || State?.Name === "running";
  return simulator.cloud.allInstances().filter((instance) => isAgents(instance) && isAlive(instance));
}
