import type { IncomingMessage } from "node:http";
import type { ServiceName } from "../service-codes.ts";

/** What a request says about itself before its parameters are read. */
export interface WireRequest {
  readonly service: ServiceName;
  readonly operation: string;
  readonly caller: string;
  readonly body: Buffer;
}

const scopes: Readonly<Record<string, ServiceName>> = {
  autoscaling: "auto-scaling",
  dynamodb: "dynamodb",
  ec2: "ec2",
  secretsmanager: "secretsmanager",
};

const credential = /Credential=([^/\s,]+)\/\d{8}\/[^/]+\/([a-z0-9-]+)\/aws4_request/;

/** Service and caller come from the signature's scope, the operation from the target header or the form. */
export function readRequest(request: IncomingMessage, body: Buffer): WireRequest | undefined {
  const [, caller, scope] = credential.exec(request.headers.authorization ?? "") ?? [];
  const service = scopes[scope ?? ""];
  if (caller === undefined || service === undefined) return undefined;
  const target = request.headers["x-amz-target"];
  if (typeof target === "string") return { service, operation: target.slice(target.indexOf(".") + 1), caller, body };
  const operation = new URLSearchParams(body.toString("utf8")).get("Action");
  return operation === null ? undefined : { service, operation, caller, body };
}

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
