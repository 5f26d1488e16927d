import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bundleFunction } from "../../infra/build/bundle-function.ts";
import { root } from "../../infra/build/entry-points.ts";
import { type Cloud, createCloud } from "../../infra/local/aws/cloud.ts";
import { createFaults } from "../../infra/local/aws/faults.ts";
import { type AwsServer, startAwsServer } from "../../infra/local/aws/server.ts";
import { type LocalDynamoDb, startDynamoDb } from "../../infra/local/dynamodb.ts";
import { readTemplate } from "../../infra/local/template.ts";
import { type Contestant, coldStartRow, compareColdStarts, signedDemand } from "./cold-start.ts";

const SECRET = "a-secret-of-this-test";
const template = readTemplate(`${root}template.yaml`, {
  stack: "drover",
  region: "eu-central-1",
  account: "123456789012",
});

let cloud: Cloud;
let aws: AwsServer;
let dynamodb: LocalDynamoDb;
let folder: string;
let secretArn: string;

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/drover-bench-`);
  dynamodb = await startDynamoDb(template.tables);
  cloud = createCloud({ clock: { now: Date.now } });
  aws = await startAwsServer({ cloud, faults: createFaults(), dynamodb });
  secretArn = cloud.putSecret("zoomies-webhook", SECRET);
});

afterAll(async () => {
  await aws?.close();
  await dynamodb?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Each sample asks for one host more than the last, so that each has a group to raise. */
async function contestant(name: string, entry: string): Promise<Contestant> {
  const group = `${name}-hosts`;
  cloud.createGroup(group, {
    minSize: 0,
    maxSize: 100,
    newInstancesProtected: true,
    tags: { "drover:stack": "drover", [`drover:zoomies-pool/${name}`]: "a pool", "drover:slots-per-host": "4" },
  });
  const { file } = await bundleFunction(`${root}${entry}`, `${folder}/${name}`, folder);
  const environment = template.functions.find(({ module }) => module === "zoomies-webhook")?.environment ?? {};
  return {
    name,
    file,
    environment: {
      ...environment,
      DROVER_ZOOMIES_SECRET: secretArn,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
      AWS_SESSION_TOKEN: "local",
      AWS_ENDPOINT_URL: aws.url,
      AWS_ENDPOINT_URL_DYNAMODB: aws.url,
      AWS_ENDPOINT_URL_AUTO_SCALING: aws.url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.url,
    },
    event: (sample) => signedDemand(SECRET, name, { capacity: 4 * sample, required: 3 }),
  };
}

test("our webhook and its hand-written floor do the same job, and are measured in turn", async () => {
  const ours = await contestant("webhook", "functions/zoomies-webhook.ts");
  const floor = await contestant("floor", "test/bench/floor/webhook.ts");
  const rows = await compareColdStarts(ours, floor, { samples: 3 });
  // Four rounds, the last of which asked for 12 + 3 slots: 4 hosts of 4.
  expect(cloud.group("webhook-hosts")?.DesiredCapacity).toBe(4);
  expect(cloud.group("floor-hosts")?.DesiredCapacity).toBe(4);
  for (const row of rows) {
    expect(row.samples).toBe(3);
    expect(row.importMs).toBeGreaterThan(0);
    expect(row.totalMs).toBeGreaterThan(row.importMs);
  }
  expect(coldStartRow(rows)).toMatch(
    /^webhook against floor, median of 3 fresh processes each; import [\d.]+ ms against/,
  );
});

test("a request that is refused is no sample", async () => {
  const floor = await contestant("stranger", "test/bench/floor/webhook.ts");
  const forged = { ...floor, event: () => signedDemand("another secret", "stranger", { capacity: 0, required: 1 }) };
  await expect(compareColdStarts(forged, floor, { samples: 1 })).rejects.toThrow(
    "stranger answered 401 instead of 204",
  );
});
