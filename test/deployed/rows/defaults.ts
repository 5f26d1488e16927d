import { expect } from "vitest";
import { AwsRefused } from "../aws-call.ts";
import { routesOf } from "../routes.ts";
import { describeStack, ofType } from "../stack.ts";
import { type DeployedWorld, stackName } from "../world.ts";

/** A second stack in the same account, with no parameter but the one that lets it be deleted again. */
export async function defaultStack(world: DeployedWorld): Promise<void> {
  const name = `${stackName}-defaults`;
  const sam = world.samOf(name);
  await sam.deploy({ TableDeletionProtection: "false" });
  const stack = await describeStack(world.aws, name);
  expect(ofType(stack, "AWS::Lambda::Function").sort()).toEqual(["ZoomiesReconciler", "ZoomiesWebhook"]);
  expect(ofType(stack, "AWS::SecretsManager::Secret")).toEqual(["ZoomiesWebhookSecret"]);
  expect(ofType(stack, "AWS::SQS::Queue")).toEqual(["FailedRuns"]);
  expect(ofType(stack, "AWS::Events::Rule")).toEqual([]);
  expect(routesOf(stack).map(({ key }) => key)).toEqual(["POST /zoomies/capacity"]);
  await sam.delete();
  await expect(describeStack(world.aws, name)).rejects.toThrow(AwsRefused);
}
