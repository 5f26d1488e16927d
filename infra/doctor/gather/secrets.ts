import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { secretsManagerSource } from "../../../lib/edge/secret-source.ts";
import type { Deployed, SecretFacts } from "../facts.ts";
import { integrations } from "../integrations.ts";
import { known } from "../known.ts";
import { type SecretOutput, secretForms, shapeOf } from "../secret-forms.ts";

/** The secrets of the integrations that are on, by what may be told of them. */
export async function gatherSecrets(client: SecretsManagerClient, stack: Deployed): Promise<SecretFacts[]> {
  const on = integrations(stack);
  const wanted: readonly (readonly [isOn: boolean, output: SecretOutput])[] = [
    [on.zoomies, "ZoomiesWebhookSecretArn"],
    [on.zoomiesHosts, "ZoomiesHostsTokenArn"],
    [on.zoomiesHosts, "ZoomiesJoinsTokenArn"],
    [on.kici, "KiciSecretArn"],
    [on.helmr, "HelmrCapacityTokenArn"],
  ];
  return Promise.all(
    wanted.flatMap(([isOn, output]) => {
      const arn = stack.outputs[output];
      return isOn && arn !== undefined ? [secretFacts(client, arn, output)] : [];
    }),
  );
}

async function secretFacts(client: SecretsManagerClient, arn: string, output: SecretOutput): Promise<SecretFacts> {
  const form = secretForms[output];
  const shape = await known(async () => {
    const version = await secretsManagerSource(client, arn).read("AWSCURRENT");
    return version === undefined ? undefined : shapeOf(version.value, form);
  });
  return { output, form, shape };
}
