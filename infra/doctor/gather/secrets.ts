import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { secretsManagerSource } from "../../../lib/edge/secret-source.ts";
import { isPlaceholder } from "../../../lib/edge/signing-secret.ts";
import { webhookKey } from "../../../lib/edge/standard-webhooks.ts";
import { checkedToken } from "../../../lib/helmr/capacity-token.ts";
import type { Deployed, SecretFacts, SecretForm, SecretShape } from "../facts.ts";
import { integrations } from "../integrations.ts";
import { known } from "../known.ts";

/** The secrets of the integrations that are on, by what may be told of them. */
export async function gatherSecrets(client: SecretsManagerClient, stack: Deployed): Promise<SecretFacts[]> {
  const on = integrations(stack);
  const wanted: readonly (readonly [isOn: boolean, output: string, form: SecretForm])[] = [
    [on.zoomies, "ZoomiesWebhookSecretArn", "any"],
    [on.zoomiesHosts, "ZoomiesHostsTokenArn", "bearer"],
    [on.zoomiesHosts, "ZoomiesJoinsTokenArn", "bearer"],
    [on.kici, "KiciSecretArn", "webhook"],
    [on.helmr, "HelmrCapacityTokenArn", "capacity-token"],
  ];
  return Promise.all(
    wanted.flatMap(([isOn, output, form]) => {
      const arn = stack.outputs[output];
      return isOn && arn !== undefined ? [secretFacts(client, arn, output, form)] : [];
    }),
  );
}

async function secretFacts(
  client: SecretsManagerClient,
  arn: string,
  output: string,
  form: SecretForm,
): Promise<SecretFacts> {
  const shape = await known(async () => {
    const version = await secretsManagerSource(client, arn).read("AWSCURRENT");
    return version === undefined ? undefined : shapeOf(version.value, form);
  });
  return { output, form, shape };
}

function shapeOf(value: string, form: SecretForm): SecretShape {
  const text = value.trim();
  return {
    isPlaceholder: isPlaceholder(value),
    hasEdges: text !== value,
    isJson: text.startsWith("{") && text.endsWith("}"),
    isWellFormed: isWellFormed(text, form),
  };
}

function isWellFormed(text: string, form: SecretForm): boolean {
  switch (form) {
    case "any":
      return text !== "";
    case "bearer":
      return /^[\x21-\x7e]+$/.test(text);
    case "webhook":
      return webhookKey(text) !== undefined;
    case "capacity-token":
      try {
        return checkedToken(text) === text;
      } catch {
        return false;
      }
  }
}
