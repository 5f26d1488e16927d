import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = fileURLToPath(new URL("../../infra/examples/zoomies/join.py", import.meta.url));
const keys = {
  AccessKeyId: "ASIAEXAMPLE",
  SecretAccessKey: "wJalrXUtnFEMI/K7MDENG/secret",
  // What real ones hold: letters that a careless signer would encode.
  Token: "IQoJb3JpZ2luX2VjE+/abc==//x+y=",
};
const answer = {
  url: "https://zoomies.example.com",
  token: "zoojoin_secret",
  name: "i-0123456789abcdef0",
  capacity: 4,
  labels: { zone: "eu-1", disk: "nvme" },
  backend: "docker",
};

const closing: (() => Promise<unknown>)[] = [];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(`${tmpdir()}/drover-join-`);
  closing.push(() => rm(folder, { recursive: true }));
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Instance metadata that insists on version 2, as the example's launch template does. */
const metadata = () =>
  serve((request, response) => {
    const { method, url = "", headers } = request;
    const said: Record<string, string> = {
      "/latest/meta-data/placement/region": "eu-west-1",
      "/latest/meta-data/iam/security-credentials/": "zoomies-host",
      "/latest/meta-data/iam/security-credentials/zoomies-host": JSON.stringify(keys),
    };
    if (
      method === "PUT" &&
      url === "/latest/api/token" &&
      headers["x-aws-ec2-metadata-token-ttl-seconds"] !== undefined
    )
      return void response.end("imds-token");
    const body = headers["x-aws-ec2-metadata-token"] === "imds-token" ? said[url] : undefined;
    response.statusCode = body === undefined ? 401 : 200;
    response.end(body);
  });

/** The authorization that the SDK's own signer gives the same request at the same moment. */
async function expected(request: IncomingMessage): Promise<string | undefined> {
  const client = new AutoScalingClient({
    region: "eu-west-1",
    credentials: { accessKeyId: keys.AccessKeyId, secretAccessKey: keys.SecretAccessKey, sessionToken: keys.Token },
  });
  const scheme = { name: "sigv4", signingName: "execute-api", signingRegion: "eu-west-1", properties: {} };
  const signer = await client.config.signer(scheme);
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(request.headers["x-amz-date"])) ?? [];
  const [hostname = "", port] = (request.headers.host ?? "").split(":");
  const signed = await signer.sign(
    {
      method: request.method ?? "",
      protocol: "http:",
      hostname,
      port: Number(port),
      path: request.url ?? "",
      query: {},
      headers: { host: request.headers.host ?? "" },
      body: "",
    } as never,
    {
      signingDate: new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`),
      // Only S3 wants the body's hash in a header of its own.
      unsignableHeaders: new Set(["x-amz-content-sha256"]),
    },
  );
  client.destroy();
  return signed.headers["authorization"];
}

interface Ended {
  readonly code: number;
  readonly output: string;
}

function join(url: string, imds: string, more: Record<string, string> = {}): Promise<Ended> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    AWS_EC2_METADATA_SERVICE_ENDPOINT: imds,
    DROVER_JOIN_PAUSE_SECONDS: "0.01",
    DROVER_JOIN_PATIENCE_SECONDS: "5",
    ...more,
  };
  return new Promise((resolve) => {
    execFile("python3", ["-W", "error", script, url, `${folder}/agent.env`], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr });
    });
  });
}

const body = JSON.stringify(answer);

test("an instance signs its ask as the SDK does, session token included, and gets the agent's settings", async () => {
  const seen: (string | undefined)[] = [];
  const url = await serve(async (request, response) => {
    seen.push(request.headers.authorization, await expected(request));
    expect(request.headers["x-amz-security-token"]).toBe(keys.Token);
    response.end(body);
  });
  const { code, output } = await join(`${url}/zoomies/join`, await metadata());
  expect(output).toBe("Token written for i-0123456789abcdef0.\n");
  expect(code).toBe(0);
  expect(seen[0]).toMatch(/^AWS4-HMAC-SHA256 Credential=ASIAEXAMPLE\/\d{8}\/eu-west-1\/execute-api\/aws4_request, /);
  expect(seen[0]).toBe(seen[1]);
  expect((await readFile(`${folder}/agent.env`, "utf8")).split("\n")).toEqual([
    "ZOOMIES_CONTROLLER_URL=https://zoomies.example.com",
    "ZOOMIES_JOIN_TOKEN=zoojoin_secret",
    "ZOOMIES_AGENT_NAME=i-0123456789abcdef0",
    "ZOOMIES_AGENT_CAPACITY=4",
    "ZOOMIES_AGENT_LABELS=disk=nvme,zone=eu-1",
    "ZOOMIES_AGENT_BACKEND=docker",
    "",
  ]);
  expect((await stat(`${folder}/agent.env`)).mode & 0o777).toBe(0o600);
});

test("it asks again while it is early, or Drover or Zoomies are away", async () => {
  const statuses = [425, 503, 429, 200];
  const url = await serve((_, response) => {
    response.statusCode = statuses.shift() ?? 500;
    response.end(response.statusCode === 200 ? body : '{"code":"later"}');
  });
  expect((await join(`${url}/zoomies/join`, await metadata())).code).toBe(0);
  expect(statuses).toEqual([]);
});

test("it gives up at once where asking again cannot help, with what Drover said and no credential", async () => {
  let asks = 0;
  const url = await serve((_, response) => {
    asks += 1;
    response.statusCode = 403;
    response.end('{"code":"foreign_role"}');
  });
  const { code, output } = await join(`${url}/zoomies/join`, await metadata());
  expect(code).toBe(1);
  expect(output).toContain("foreign_role");
  for (const secret of Object.values(keys)) expect(output).not.toContain(secret);
  expect(asks).toBe(1);
});

test("it is content when it has joined already, and says when nobody answered in time", async () => {
  const url = await serve((_, response) => {
    response.statusCode = 409;
    response.end("{}");
  });
  expect((await join(`${url}/zoomies/join`, await metadata())).code).toBe(0);
  const nobody = await join("http://127.0.0.1:9/zoomies/join", await metadata(), { DROVER_JOIN_PATIENCE_SECONDS: "0" });
  expect(nobody).toEqual({ code: 1, output: "Drover gave no token in time: URLError\n" });
});
