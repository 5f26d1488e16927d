import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterEach } from "vitest";
import { type Cloud, type CloudOptions, createCloud } from "../../../infra/local/aws/cloud.ts";
import { createFaults, type Faults } from "../../../infra/local/aws/faults.ts";
import { inProcessClient } from "../../../infra/local/aws/in-process.ts";
import { startAwsServer } from "../../../infra/local/aws/server.ts";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";

/** A small world with the three clients a function would use, and what a test needs to turn its knobs. */
export interface Bench {
  readonly clock: ManualClock;
  readonly cloud: Cloud;
  readonly faults: Faults;
  readonly autoScaling: Pick<AutoScalingClient, "send">;
  readonly ec2: Pick<EC2Client, "send">;
  readonly secrets: Pick<SecretsManagerClient, "send">;
  /** Moves the clock by seconds and lets what is due happen. */
  pass(seconds: number): void;
}

type World = { clock: ManualClock; cloud: Cloud; faults: Faults };
type Clients = Pick<Bench, "autoScaling" | "ec2" | "secrets">;
type Open = (world: World) => Promise<Clients>;

export const startOfTest = Date.UTC(2026, 0, 5, 9, 0, 0);

const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const overLoopback: Open = async ({ cloud, faults }) => {
  const server = await startAwsServer({ cloud, faults });
  const common = {
    endpoint: server.url,
    region: "eu-central-1",
    credentials: { accessKeyId: "AKIATESTCALLER", secretAccessKey: "not-a-secret" },
    maxAttempts: 1,
  };
  const clients = {
    autoScaling: new AutoScalingClient(common),
    ec2: new EC2Client(common),
    secrets: new SecretsManagerClient(common),
  };
  closers.push(() => {
    for (const client of Object.values(clients)) client.destroy();
    return server.close();
  });
  return clients;
};

const inProcess: Open = async ({ cloud, faults }) => {
  const client = inProcessClient(cloud, { faults, caller: "AKIATESTCALLER" });
  return { autoScaling: client, ec2: client, secrets: client };
};

/** Each contract runs twice: with the real SDK over sockets, and with the client that simulations use. */
export const ways: readonly { way: string; open: Open }[] = [
  { way: "the AWS SDK over loopback", open: overLoopback },
  { way: "the in-process client", open: inProcess },
];

export async function openBench(open: Open, options: Partial<CloudOptions> = {}): Promise<Bench> {
  const clock = new ManualClock(startOfTest);
  const cloud = createCloud({ clock, ...options });
  const faults = createFaults();
  const clients = await open({ clock, cloud, faults });
  const pass = (seconds: number) => {
    clock.advance(seconds * 1000);
    cloud.settle();
  };
  return { clock, cloud, faults, ...clients, pass };
}

/** The name, status and message of the error that a call ends with. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ name: string; status: number | undefined; message: string }> {
  try {
    await call;
  } catch (error) {
    const { name, message, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
    return { name, status: $metadata?.httpStatusCode, message };
  }
  throw new Error("The call was expected to be refused, and was not");
}
