import { parse } from "yaml";

type Section = Record<string, unknown>;

/**
 * What differs between the template that `sam build` leaves and the one that is deployed here. Everything else is deployed as it is.
 *
 * - Every function is told where EC2 and Auto Scaling are: in our simulator, because MiniStack's own accept what AWS refuses.
 * - A schedule slower than a minute fires every minute, so that the test sees it fire.
 * - `!Ref` of a secret becomes `!GetAtt SECRET.Id`. In AWS both are the ARN; in MiniStack the first is the name, and a role's
 *   policy that names the secret would not fit it.
 * - An alarm on an expression of several metrics is left out: MiniStack refuses it (test/build/observability.test.ts reads it in the template).
 * - ExcludePunctuation of a generated secret is spelt out as ExcludeCharacters, which MiniStack knows.
 *
 * @returns it as JSON
 * @param text a template as `sam build` writes it: without short tags
 * @param simulator URL of the simulator
 */
export function adaptTemplate(text: string, simulator: string): string {
  const template = parse(text) as { Resources: Record<string, { Type: string; Properties: Section }> };
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    if (Type === "AWS::CloudWatch::Alarm" && Properties["Metrics"] !== undefined) delete template.Resources[id];
  }
  const resources = Object.entries(template.Resources);
  for (const [, { Type, Properties }] of resources) {
    if (Type === "AWS::Serverless::Function") adaptFunction(Properties, simulator);
    const generated = Properties?.["GenerateSecretString"] as Section | undefined;
    if (generated?.["ExcludePunctuation"] === true) generated["ExcludeCharacters"] = punctuation;
  }
  const secrets = new Set(resources.flatMap(([id, { Type }]) => (Type === "AWS::SecretsManager::Secret" ? [id] : [])));
  // JSON, since SAM reads YAML 1.1, in which a bare `on` is true.
  return JSON.stringify(withSecretArns(template, secrets));
}

const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

function adaptFunction(properties: Section, simulator: string): void {
  Object.assign(child(child(properties, "Environment"), "Variables"), {
    AWS_ENDPOINT_URL_EC2: simulator,
    AWS_ENDPOINT_URL_AUTO_SCALING: simulator,
  });
  for (const event of Object.values((properties["Events"] ?? {}) as Record<string, Section>)) {
    if (event["Type"] === "ScheduleV2") child(event, "Properties")["ScheduleExpression"] = "rate(1 minute)";
  }
}

function child(of: Section, name: string): Section {
  const section = (of[name] ?? {}) as Section;
  of[name] = section;
  return section;
}

function withSecretArns(value: unknown, secrets: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => withSecretArns(each, secrets));
  if (typeof value !== "object" || value === null) return value;
  const { Ref } = value as Section;
  if (typeof Ref === "string" && secrets.has(Ref)) return { "Fn::GetAtt": [Ref, "Id"] };
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withSecretArns(each, secrets)]));
}
