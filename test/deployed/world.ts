import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { type AwsCalls, awsCalls } from "./aws-call.ts";
import { account, type MiniStack, region, startMiniStack } from "./ministack.ts";
import { type Peers, startPeers } from "./peers.ts";
import { type Sam, sam } from "./sam.ts";
import { type Simulator, startSimulator } from "./simulator.ts";
import { describeStack, type Stack } from "./stack.ts";

export const stackName = "drover-deployed";

/** MiniStack with a deployed stack in it, our simulator and the stand-in peers beside it, and the ways to look at all of them. */
export interface DeployedWorld {
  readonly ministack: MiniStack;
  readonly simulator: Simulator;
  readonly peers: Peers;
  readonly sam: Sam;
  /** For another stack, from the same build. */
  samOf(stack: string): Sam;
  readonly aws: AwsCalls;
  readonly dynamodb: DynamoDBClient;
  readonly secrets: SecretsManagerClient;
  /** As it was described last; throws before the first deployment. */
  readonly stack: Stack;
  describe(): Promise<Stack>;
  /** Secret values and signatures that this test has used: no log may hold one. */
  readonly confidential: Set<string>;
  close(): Promise<void>;
}

export async function startDeployedWorld(): Promise<DeployedWorld> {
  const folder = mkdtempSync(`${tmpdir()}/drover-deployed-`);
  const closing: (() => Promise<void> | void)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of closing.splice(0).reverse()) await end();
  };
  try {
    const simulator = await startSimulator();
    closing.push(simulator.close);
    const peers = await startPeers(simulator.cloud);
    closing.push(peers.close);
    const ministack = await startMiniStack(folder);
    closing.push(ministack.stop);
    const settings = {
      endpoint: ministack.url,
      region,
      credentials: { accessKeyId: account, secretAccessKey: "local" },
    };
    const dynamodb = new DynamoDBClient(settings);
    const secrets = new SecretsManagerClient(settings);
    closing.push(() => [dynamodb, secrets].forEach((client) => void client.destroy()));
    const aws = awsCalls(ministack.url);
    const samOf = (name: string) => sam(name, folder, ministack.url, simulator.url);
    let stack: Stack | undefined;
    return {
      ministack,
      simulator,
      peers,
      sam: samOf(stackName),
      samOf,
      aws,
      dynamodb,
      secrets,
      get stack() {
        if (stack === undefined) throw new Error("Nothing is deployed yet.");
        return stack;
      },
      async describe() {
        stack = await describeStack(aws, stackName);
        return stack;
      },
      confidential: new Set(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
