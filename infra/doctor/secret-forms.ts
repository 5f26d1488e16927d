import { isPlaceholder } from "../../lib/edge/signing-secret.ts";
import { webhookKey } from "../../lib/edge/standard-webhooks.ts";
import { checkedToken } from "../../lib/helmr/capacity-token.ts";
import type { SecretForm, SecretShape } from "./facts.ts";

/** What each secret of a stack must look like, by the output that names it. */
export const secretForms = {
  ZoomiesWebhookSecretArn: "any",
  ZoomiesHostsTokenArn: "bearer",
  ZoomiesJoinsTokenArn: "bearer",
  KiciSecretArn: "webhook",
  HelmrCapacityTokenArn: "capacity-token",
} as const satisfies Readonly<Record<string, SecretForm>>;

export type SecretOutput = keyof typeof secretForms;

export const formWords: Readonly<Record<SecretForm, string>> = {
  any: "any text that is not empty",
  bearer: "one line of printable characters",
  webhook: "base64 of 24 to 64 bytes, with or without whsec_ before it",
  "capacity-token": "32 bytes in base64url without padding, 43 characters",
};

/** What may be told of a value; nothing of the value itself is in it. */
export function shapeOf(value: string, form: SecretForm): SecretShape {
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
