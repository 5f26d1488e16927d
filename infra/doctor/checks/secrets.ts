import type { Check, Diagnosis } from "../diagnosis.ts";
import type { SecretFacts, SecretForm } from "../facts.ts";
import { formWords } from "../secret-forms.ts";

const why: Readonly<Record<SecretForm, string>> = {
  any: "Every event of Zoomies is refused with 401 or 503.",
  bearer: "Zoomies refuses every call: no host joins or leaves.",
  webhook: "Every KiCI workflow is refused: no agent is launched or ended.",
  "capacity-token": "Helmr refuses every request: no pool grows, no host leaves.",
};

/** Secrets that are not there or cannot be what they should be. Their values are not among the facts. */
export const secrets: Check = (facts) => facts.secrets.flatMap(secret);

function secret({ output, form, shape }: SecretFacts): Diagnosis[] {
  const found = (code: string, what: string, fix: string): Diagnosis[] => [
    { severity: "error", code, resource: output, what, why: why[form], fix },
  ];
  const put = `npm run secret -- put ${output} --file FILE, with the same --stack`;
  // An unread one is among what was not checked.
  if (shape.unread !== undefined) return [];
  if (shape.value === undefined) return found("secret_not_set", "The secret has no value.", `Put one: ${put}`);
  const { isPlaceholder, isJson, hasEdges, isWellFormed } = shape.value;
  if (isPlaceholder)
    return found("secret_placeholder", "The secret holds a placeholder.", `Put the real value: ${put}`);
  if (isJson) {
    const what = "The secret is a JSON object, as the console's key/value form makes it.";
    return found("secret_is_json", what, `Drover reads the whole text as the secret. Put the bare value: ${put}`);
  }
  if (hasEdges) {
    const what = "The secret begins or ends with a blank or a line break.";
    return found("secret_edges", what, `Put it without: printf %s instead of echo, then ${put}`);
  }
  return isWellFormed
    ? []
    : found("secret_malformed", `The secret is not ${formWords[form]}.`, `Put a right one: ${put}`);
}
