import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import * as stock from "@aws-sdk/client-ec2";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleOptions } from "../../infra/build/bundle-function.ts";
import { root } from "../../infra/build/entry-points.ts";

/**
 * Every EC2 command that our code sends, through our bundle and through the stock SDK, over real HTTP: the request's bytes, the answer that
 * is read of EC2's XML, and the error that is read of a refusal are the same.
 */
const inputs = {
  RunInstances: {
    ClientToken: "a".repeat(64),
    MinCount: 1,
    MaxCount: 1,
    LaunchTemplate: { LaunchTemplateId: "lt-0123456789abcdef0", Version: "3" },
    InstanceType: "m7i.large",
    SubnetId: "subnet-00000000000000001",
    UserData: "I2Nsb3VkLWNvbmZpZw==",
    InstanceInitiatedShutdownBehavior: "terminate",
    DisableApiTermination: false,
    MetadataOptions: { HttpEndpoint: "enabled", HttpTokens: "required", HttpPutResponseHopLimit: 1 },
    TagSpecifications: ["instance", "volume", "network-interface"].map((ResourceType) => ({
      ResourceType,
      Tags: [
        { Key: "kici-agent-id", Value: 'a & <b> "c" 漢' },
        { Key: "drover:stack", Value: "s" },
      ],
    })),
  },
  TerminateInstances: { InstanceIds: ["i-00000000000000001", "i-00000000000000002"] },
  DescribeInstances: {
    Filters: [
      { Name: "tag:kici-agent-id", Values: ["\\*"] },
      { Name: "instance-state-name", Values: ["pending", "running"] },
    ],
    MaxResults: 1000,
    NextToken: "next",
  },
  DescribeInstanceTypes: { Filters: [{ Name: "instance-type", Values: ["m7i.large"] }], MaxResults: 100 },
  DescribeLaunchTemplates: { Filters: [{ Name: "tag:drover:stack", Values: ["s"] }], MaxResults: 200 },
  DescribeLaunchTemplateVersions: { LaunchTemplateId: "lt-0123456789abcdef0", Versions: ["3"], ResolveAlias: true },
} as const;
type Name = keyof typeof inputs;
const names = Object.keys(inputs) as Name[];

const tagSet =
  "<tagSet><item><key>kici-agent-id</key><value>a &amp; b</value></item><item><key>empty</key><value/></item></tagSet>";
const instance = `<item><instanceId>i-00000000000000001</instanceId><instanceState><code>16</code><name>running</name></instanceState>
<instanceType>m7i.large</instanceType><launchTime>2026-09-05T12:00:00.000Z</launchTime><architecture>x86_64</architecture>
<metadataOptions><httpTokens>required</httpTokens><httpPutResponseHopLimit>1</httpPutResponseHopLimit></metadataOptions>
<ebsOptimized>true</ebsOptimized><somethingNew>1</somethingNew>${tagSet}</item>`;
const answers: Record<Name, string> = {
  RunInstances: `<reservationId>r-1</reservationId><groupSet/><instancesSet>${instance}</instancesSet>`,
  TerminateInstances: `<instancesSet><item><instanceId>i-00000000000000001</instanceId><currentState><code>32</code><name>shutting-down</name></currentState>
<previousState><code>16</code><name>running</name></previousState></item></instancesSet>`,
  DescribeInstances: `<reservationSet><item><reservationId>r-1</reservationId><instancesSet>${instance}</instancesSet></item><item><instancesSet/></item></reservationSet><nextToken>more</nextToken>`,
  DescribeInstanceTypes: `<instanceTypeSet><item><instanceType>m7i.large</instanceType><vCpuInfo><defaultVCpus>2</defaultVCpus></vCpuInfo>
<memoryInfo><sizeInMiB>8192</sizeInMiB></memoryInfo><processorInfo><supportedArchitectures><item>x86_64</item></supportedArchitectures></processorInfo></item></instanceTypeSet>`,
  DescribeLaunchTemplates: `<launchTemplates><item><launchTemplateId>lt-0123456789abcdef0</launchTemplateId><launchTemplateName>kici</launchTemplateName>
<createTime>2026-09-05T12:00:00.000Z</createTime><defaultVersionNumber>3</defaultVersionNumber><latestVersionNumber>4</latestVersionNumber>${tagSet}</item></launchTemplates>`,
  DescribeLaunchTemplateVersions: `<launchTemplateVersionSet><item><launchTemplateId>lt-0123456789abcdef0</launchTemplateId><versionNumber>3</versionNumber>
<defaultVersion>true</defaultVersion><launchTemplateData><imageId>ami-1</imageId><networkInterfaceSet><item><deviceIndex>0</deviceIndex></item></networkInterfaceSet>
<instanceMarketOptions><marketType>spot</marketType><spotOptions><spotInstanceType>persistent</spotInstanceType></spotOptions></instanceMarketOptions></launchTemplateData></item></launchTemplateVersionSet>`,
};

let server: Server;
let answer: { status: number; body: string } | "hang-up" = { status: 200, body: "" };
const bodies: string[] = [];
let ours: Record<string, new (input: never) => unknown>;

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      bodies.push(Buffer.concat(chunks).toString());
      if (answer === "hang-up") {
        request.socket.destroy();
        return;
      }
      response.writeHead(answer.status, { "content-type": "text/xml" });
      response.end(answer.body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  const contents = `export { EC2Client, ${names.map((name) => `${name}Command`).join(", ")} } from "@aws-sdk/client-ec2";`;
  const { outputFiles } = await build({ ...bundleOptions, stdin: { contents, resolveDir: root } });
  const module = { exports: {} };
  new Function("module", "exports", "require", outputFiles?.[0]?.text ?? "")(
    module,
    module.exports,
    createRequire(import.meta.url),
  );
  ours = module.exports as typeof ours;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

type Result = { output?: unknown; error?: unknown };

/** Sends one command and gives its request's body with what was read of the answer. */
async function sent(sdk: Record<string, unknown>, name: Name): Promise<{ request: string; result: Result }> {
  const Client = sdk["EC2Client"] as new (
    options: object,
  ) => { send(command: unknown): Promise<object>; destroy(): void };
  const Command = sdk[`${name}Command`] as new (input: object) => unknown;
  const client = new Client({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: "eu-west-1",
    credentials: { accessKeyId: "AKIATEST", secretAccessKey: "test" },
    maxAttempts: 1,
  });
  const input: object = inputs[name];
  const result: Result = await client.send(new Command(input)).then(
    (output) => ({ output: { ...output, $metadata: undefined } }),
    (error: Error & { $fault?: string; $metadata?: { httpStatusCode?: number }; code?: string }) => ({
      error: [error.name, error.message, error.$fault, error.$metadata?.httpStatusCode, error.code],
    }),
  );
  client.destroy();
  return { request: bodies.at(-1) ?? "", result };
}

async function bothSend(name: Name): Promise<Result> {
  const theirs = await sent(stock as unknown as Record<string, unknown>, name);
  const mine = await sent(ours, name);
  expect(mine).toEqual(theirs);
  expect(mine.request).toContain(`Action=${name}&`);
  return mine.result;
}

const errorXml = (code: string) =>
  `<?xml version="1.0"?><Response><Errors><Error><Code>${code}</Code><Message>Why &amp; how</Message></Error></Errors><RequestID>r</RequestID></Response>`;

describe.each(names)("%s", (name) => {
  test("asks and understands as the stock client does", async () => {
    answer = {
      status: 200,
      body: `<?xml version="1.0"?><${name}Response><requestId>r</requestId>${answers[name]}</${name}Response>`,
    };
    const { output } = await bothSend(name);
    // Else equal emptiness would pass.
    expect(JSON.stringify(output).length).toBeGreaterThan(60);
    answer = { status: 200, body: `<?xml version="1.0"?><${name}Response><requestId>r</requestId></${name}Response>` };
    await bothSend(name);
  });

  test.each<[string, number]>([
    ["InsufficientInstanceCapacity", 500],
    ["IdempotentParameterMismatch", 400],
    ["UnauthorizedOperation", 403],
    ["InvalidInstanceID.NotFound", 400],
    ["RequestLimitExceeded", 503],
    ["SomethingNew", 418],
  ])("reads the error %s as the stock client does", async (code, status) => {
    answer = { status, body: errorXml(code) };
    const { error } = await bothSend(name);
    expect(error).toEqual([code, "Why & how", expect.any(String), status, undefined]);
  });

  test("fails as the stock client does when the answer is no XML or none comes", async () => {
    answer = { status: 502, body: "Bad Gateway" };
    expect((await bothSend(name)).error).toBeDefined();
    answer = "hang-up";
    expect((await bothSend(name)).error).toBeDefined();
  });
});
