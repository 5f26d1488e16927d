import { GetSecretValueCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { physicalId } from "./stack.ts";
import type { DeployedWorld } from "./world.ts";

/** A secret's value as it is now, read as an operator reads it to put it where the other side signs with it. */
export async function secretOf({ secrets, stack, confidential }: DeployedWorld, logicalId: string): Promise<string> {
  const SecretId = physicalId(stack, logicalId);
  const { SecretString = "" } = await secrets.send(new GetSecretValueCommand({ SecretId }));
  confidential.add(SecretString);
  return SecretString;
}

/** Puts the other side's value into a secret, as an operator does after the deployment. */
export async function putSecret(
  { secrets, stack, confidential }: DeployedWorld,
  logicalId: string,
  value: string,
): Promise<void> {
  confidential.add(value);
  await secrets.send(new PutSecretValueCommand({ SecretId: physicalId(stack, logicalId), SecretString: value }));
}
