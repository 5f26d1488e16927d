// The least that a Zoomies webhook on Lambda can be: node:crypto, node:https and hand-made signatures, no SDK, no ledger beyond one conditional
// write, no lease, no findings. It is the yardstick that the bench holds Drover's own webhook against, and nothing to deploy.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { type Call, send } from "./signed-request.ts";

interface CapacityEvent {
  readonly event_id: string;
  readonly pool_id: string;
  readonly required_runner_slots: number;
  readonly current_capacity: number;
}

let secret: Promise<string> | undefined;

/** `POST /zoomies/capacity`: verify, record once, describe the pool's group, raise it. */
export async function handler(request: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> {
  const body = Buffer.from(request.body ?? "", request.isBase64Encoded ? "base64" : "utf8");
  secret ??= signingSecret();
  const expected = Buffer.from(
    `sha256=${createHmac("sha256", await secret)
      .update(body)
      .digest("hex")}`,
  );
  const given = Buffer.from(request.headers["x-zoomies-signature-256"] ?? "");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { statusCode: 401 };

  const event = JSON.parse(body.toString()) as CapacityEvent;
  if (!(await isRecorded(event))) return { statusCode: 204 };
  const group = await groupOf(event.pool_id);
  if (group === undefined) return { statusCode: 404 };
  const hosts = Math.ceil((event.current_capacity + event.required_runner_slots) / group.slotsPerHost);
  const target = Math.min(group.max, Math.max(group.min, hosts));
  if (target > group.desired) {
    await query("SetDesiredCapacity", { AutoScalingGroupName: group.name, DesiredCapacity: String(target) });
  }
  return { statusCode: 204 };
}

async function signingSecret(): Promise<string> {
  const text = await answered({
    service: "secretsmanager",
    endpointVariable: "AWS_ENDPOINT_URL_SECRETS_MANAGER",
    headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": "secretsmanager.GetSecretValue" },
    body: JSON.stringify({ SecretId: process.env["DROVER_ZOOMIES_SECRET"] }),
  });
  return (JSON.parse(text) as { SecretString: string }).SecretString;
}

/** Whether this event is new, and now recorded; false when it was recorded before. */
async function isRecorded(event: CapacityEvent): Promise<boolean> {
  const { status, text } = await send({
    service: "dynamodb",
    endpointVariable: "AWS_ENDPOINT_URL_DYNAMODB",
    headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": "DynamoDB_20120810.PutItem" },
    body: JSON.stringify({
      TableName: process.env["DROVER_TABLE"],
      Item: { pk: { S: `floor#${event.event_id}` }, sk: { S: "event" } },
      ConditionExpression: "attribute_not_exists(pk)",
    }),
  });
  if (status === 200) return true;
  if (text.includes("ConditionalCheckFailedException")) return false;
  throw new Error(`PutItem answered ${status}: ${text}`);
}

async function groupOf(pool: string) {
  const xml = await query("DescribeAutoScalingGroups", {
    "Filters.member.1.Name": "tag-key",
    "Filters.member.1.Values.member.1": `drover:zoomies-pool/${pool}`,
  });
  const value = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  const name = value("AutoScalingGroupName");
  if (name === undefined) return undefined;
  const tag = xml.split("<member>").find((member) => member.includes("<Key>drover:slots-per-host</Key>")) ?? "";
  const slots = /<Value>(\d+)<\/Value>/.exec(tag)?.[1];
  return {
    name,
    min: Number(value("MinSize")),
    max: Number(value("MaxSize")),
    desired: Number(value("DesiredCapacity")),
    slotsPerHost: Number(slots ?? 1),
  };
}

function query(action: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  return answered({
    service: "autoscaling",
    endpointVariable: "AWS_ENDPOINT_URL_AUTO_SCALING",
    headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    body: new URLSearchParams({ Action: action, Version: "2011-01-01", ...parameters }).toString(),
  });
}

async function answered(call: Call): Promise<string> {
  const { status, text } = await send(call);
  if (status !== 200) throw new Error(`${call.service} answered ${status}: ${text}`);
  return text;
}
