import { root } from "../../infra/build/entry-points.ts";
import { everything, examplePlace } from "../../infra/build/template-functions.ts";
import { type Resources, readResources } from "../../infra/local/cloudformation/resources.ts";

type Section = Record<string, unknown>;

export type Statement = {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Section;
};

/** template.yaml under these parameters, on top of everything switched on. */
export const resourcesWith = (parameters: Readonly<Record<string, string>> = {}): Resources =>
  readResources(`${root}template.yaml`, examplePlace, { ...everything, ...parameters });

/** A value as it is written, with every `!If` decided and what it leaves out gone. References stay as they are. */
export function decided(value: unknown, { scope }: Resources): unknown {
  if (Array.isArray(value)) {
    return value.map((part) => decided(part, { scope } as Resources)).filter((part) => part !== undefined);
  }
  if (typeof value !== "object" || value === null) return value;
  const choice = (value as Section)["Fn::If"] as [string, unknown, unknown] | undefined;
  if (choice !== undefined) {
    const [condition, yes, no] = choice;
    return decided(scope.condition(condition) ? yes : no, { scope } as Resources);
  }
  if ((value as Section)["Ref"] === "AWS::NoValue") return undefined;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, part]) => [key, decided(part, { scope } as Resources)] as const)
      .filter(([, part]) => part !== undefined),
  );
}

type Document = { PolicyDocument: { Statement: Statement[] } };

/** Every statement that a role has of its own or through a policy of the stack that names it. */
export function statementsOf(roleId: string, resources: Resources): Statement[] {
  const own = resources.all.find(({ id, type }) => id === roleId && type === "AWS::IAM::Role");
  const inline = (decided(own?.properties["Policies"] ?? [], resources) as Document[]) ?? [];
  const attached = resources.all.flatMap(({ type, properties }) => {
    if (type !== "AWS::IAM::Policy") return [];
    const roles = (properties["Roles"] ?? []) as { Ref?: string }[];
    return roles.some(({ Ref }) => Ref === roleId) ? [decided(properties, resources) as Document] : [];
  });
  return [...inline, ...attached].flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
}

export const actionsOf = ({ Action }: Statement): string[] => [Action].flat();

/** The role of a function. */
export function roleOf(functionId: string, resources: Resources): string {
  const found = resources.all.find(({ id }) => id === functionId)?.properties["Role"] as { "Fn::GetAtt": string[] };
  return found["Fn::GetAtt"][0] ?? "";
}
