import { createHash, createHmac } from "node:crypto";
import type { IncomingMessage, RequestOptions } from "node:http";
import { Agent, request as https } from "node:https";

/** One call of an AWS service's JSON or query protocol. */
export interface Call {
  /** As in its host name and its signature: `dynamodb`, `secretsmanager`, `autoscaling`. */
  readonly service: string;
  /** The variable that moves the service elsewhere, as the SDK names it. */
  readonly endpointVariable: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const agent = new Agent({ keepAlive: true });
const region = process.env["AWS_REGION"] ?? "";

/** Sends one request signed with Signature Version 4 and resolves to its status and text. Nothing is retried. */
export async function send(call: Call): Promise<{ status: number; text: string }> {
  const url = new URL(process.env[call.endpointVariable] ?? `https://${call.service}.${region}.amazonaws.com`);
  const options: RequestOptions = {
    method: "POST",
    host: url.hostname,
    port: url.port,
    path: "/",
    headers: signed(call, url.host),
    timeout: 3_000,
  };
  // Plain http serves loopback endpoints only; on AWS this module is never loaded.
  const open = url.protocol === "https:" ? https : (await import("node:http")).request;
  if (url.protocol === "https:") options.agent = agent;
  return new Promise((resolve, reject) => {
    const sent = open(options, (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    sent.on("timeout", () => sent.destroy(new Error(`${call.service} did not answer in time.`)));
    sent.on("error", reject);
    sent.end(call.body);
  });
}

function signed(call: Call, host: string): Record<string, string> {
  const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, "");
  const date = time.slice(0, 8);
  const token = process.env["AWS_SESSION_TOKEN"];
  const headers: Record<string, string> = { ...call.headers, host, "x-amz-date": time };
  if (token !== undefined) headers["x-amz-security-token"] = token;
  const names = Object.keys(headers).sort();
  const canonical = [
    "POST",
    "/",
    "",
    ...names.map((name) => `${name}:${headers[name]}`),
    "",
    names.join(";"),
    sha256(call.body),
  ].join("\n");
  const scope = `${date}/${region}/${call.service}/aws4_request`;
  const key = [date, region, call.service, "aws4_request"].reduce<Buffer | string>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${process.env["AWS_SECRET_ACCESS_KEY"]}`,
  );
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const signature = createHmac("sha256", key).update(text).digest("hex");
  headers["authorization"] =
    `AWS4-HMAC-SHA256 Credential=${process.env["AWS_ACCESS_KEY_ID"]}/${scope}, ` +
    `SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return headers;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
