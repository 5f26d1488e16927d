import { readFileSync } from "node:fs";
import type { Deployed } from "../doctor/facts.ts";
import { type Section, section } from "./cloudformation/scope.ts";
import { parseTemplateText } from "./cloudformation/tags.ts";
import type { LocalTemplate } from "./template.ts";

/** Outputs by the route whose URL they are. */
const outputOfRoute: Readonly<Record<string, string>> = {
  "/zoomies/capacity": "ZoomiesWebhookUrl",
  "/zoomies/join": "ZoomiesJoinUrl",
  "/kici/scale-up": "KiciScaleUpUrl",
  "/kici/scale-down": "KiciScaleDownUrl",
};

/** The local world as CloudFormation would tell of it: parameters with their defaults, and the outputs that people paste elsewhere. */
export function localDeployment(
  file: string,
  { functions, tables, secrets }: LocalTemplate,
  { stack, api, parameters }: { stack: string; api: string; parameters: Readonly<Record<string, string>> },
): Deployed {
  const declared = section((parseTemplateText(readFileSync(file, "utf8")) ?? {}) as Section, "Parameters");
  const defaults = Object.keys(declared).map((name) => [name, String(section(declared, name)["Default"] ?? "")]);
  const paths = functions.flatMap(({ routes }) => routes.map(({ path }) => path));
  const urls = paths.flatMap((path) => {
    const output = outputOfRoute[path];
    return output === undefined ? [] : [[output, `${api}${path}`]];
  });
  const arn = "arn:aws:execute-api:eu-west-1:123456789012:local/$default/POST/zoomies/join";
  return {
    name: stack,
    status: "CREATE_COMPLETE",
    parameters: { ...Object.fromEntries(defaults), ...parameters },
    outputs: {
      ...Object.fromEntries(urls),
      ...Object.fromEntries(secrets.map((secret) => [`${secret.id}Arn`, secret.arn])),
      ...(paths.includes("/zoomies/join") ? { ZoomiesJoinArn: arn } : {}),
      TableName: tables[0]?.name ?? "",
    },
  };
}
