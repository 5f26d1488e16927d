import type { AwsCalls } from "./aws-call.ts";
import { account, region } from "./ministack.ts";

export interface Resource {
  readonly type: string;
  readonly physicalId: string;
}

/** A stack as CloudFormation describes it. */
export interface Stack {
  readonly outputs: Readonly<Record<string, string>>;
  /** By logical id. */
  readonly resources: Readonly<Record<string, Resource>>;
  /** The template after the SAM transform. */
  readonly template: { readonly Resources: Readonly<Record<string, { Type: string; Properties: Properties }>> };
}

// biome-ignore lint/suspicious/noExplicitAny: resources' properties are as different as their types
export type Properties = Record<string, any>;

const version = "2010-05-15";

export async function describeStack(aws: AwsCalls, name: string): Promise<Stack> {
  const ask = (action: string, more: Record<string, string> = {}) =>
    aws.query("cloudformation", version, action, { StackName: name, ...more });
  const stack = await ask("DescribeStacks");
  const listed = await ask("DescribeStackResources");
  const template = await ask("GetTemplate", { TemplateStage: "Processed" });
  return {
    outputs: Object.fromEntries(
      members(stack, "Outputs").map((one) => [text(one, "OutputKey"), text(one, "OutputValue")]),
    ),
    resources: Object.fromEntries(
      members(listed, "StackResources").map((one) => [
        text(one, "LogicalResourceId"),
        { type: text(one, "ResourceType"), physicalId: text(one, "PhysicalResourceId") },
      ]),
    ),
    template: JSON.parse(text(template, "TemplateBody")) as Stack["template"],
  };
}

/** Logical ids of one type. */
export function ofType({ resources }: Stack, type: string): string[] {
  return Object.keys(resources).filter((id) => resources[id]?.type === type);
}

export function physicalId({ resources }: Stack, logicalId: string): string {
  const found = resources[logicalId];
  if (found === undefined) throw new Error(`The stack has no resource ${logicalId}.`);
  return found.physicalId;
}

export const functionArn = (name: string) => `arn:aws:lambda:${region}:${account}:function:${name}`;

function members(xml: string, list: string): string[] {
  const [, inside = ""] = new RegExp(`<${list}>([\\s\\S]*?)</${list}>`).exec(xml) ?? [];
  return [...inside.matchAll(/<member>([\s\S]*?)<\/member>/g)].map(([, member = ""]) => member);
}

const entities: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
  "#x27": "'",
  "#39": "'",
};

function text(xml: string, element: string): string {
  const [, found = ""] = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(xml) ?? [];
  return found.replaceAll(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole);
}
