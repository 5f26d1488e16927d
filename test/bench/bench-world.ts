import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { bundleFunction } from "../../infra/build/bundle-function.ts";
import { root } from "../../infra/build/entry-points.ts";
import { type Cloud, createCloud } from "../../infra/local/aws/cloud.ts";
import { createFaults, type Faults } from "../../infra/local/aws/faults.ts";
import { startAwsServer } from "../../infra/local/aws/server.ts";
import { startDynamoDb } from "../../infra/local/dynamodb.ts";
import { readTemplate } from "../../infra/local/template.ts";
import { type Contestant, signedDemand } from "./cold-start.ts";

export const benchSecret = "a-secret-of-this-bench";

/** Simulated AWS on loopback, and built webhooks that work against it, each with a pool and a group of its own. */
export interface BenchWorld {
  readonly cloud: Cloud;
  readonly faults: Faults;
  readonly secretArn: string;
  /** Bundles `entry` (a path from the project's root) as the build does. */
  contestant(name: string, entry: string): Promise<Contestant>;
  close(): Promise<void>;
}

const region = "eu-central-1";

export async function startBenchWorld(): Promise<BenchWorld> {
  const template = readTemplate(`${root}template.yaml`, { stack: "drover", region, account: "123456789012" });
  const folder = await mkdtemp(`${tmpdir()}/drover-bench-`);
  const dynamodb = await startDynamoDb(template.tables);
  const cloud = createCloud({ clock: { now: Date.now } });
  const faults = createFaults();
  const aws = await startAwsServer({ cloud, faults, dynamodb });
  const secretArn = cloud.putSecret("zoomies-webhook", benchSecret);
  const declared = template.functions.find(({ module }) => module === "zoomies-webhook")?.environment ?? {};

  return {
    cloud,
    faults,
    secretArn,
    async contestant(name, entry) {
      cloud.createGroup(`${name}-hosts`, {
        minSize: 0,
        maxSize: 100,
        newInstancesProtected: true,
        tags: { "drover:stack": "drover", [`drover:zoomies-pool/${name}`]: "a pool", "drover:slots-per-host": "4" },
      });
      const { file } = await bundleFunction(`${root}${entry}`, `${folder}/${name}`, folder);
      return {
        name,
        file,
        environment: {
          ...declared,
          DROVER_ZOOMIES_SECRET: secretArn,
          AWS_REGION: region,
          AWS_ACCESS_KEY_ID: name,
          AWS_SECRET_ACCESS_KEY: "local",
          AWS_SESSION_TOKEN: "local",
          AWS_ENDPOINT_URL: aws.url,
          AWS_ENDPOINT_URL_DYNAMODB: aws.url,
          AWS_ENDPOINT_URL_AUTO_SCALING: aws.url,
          AWS_ENDPOINT_URL_SECRETS_MANAGER: aws.url,
        },
        // Each sample asks for one host more than the last, so that each has a group to raise.
        event: (sample) => signedDemand(benchSecret, name, { capacity: 4 * sample, required: 3 }),
      };
    },
    async close() {
      await aws.close();
      await dynamodb.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
