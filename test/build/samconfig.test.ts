import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { root } from "../../infra/build/entry-points.ts";
import { parseTemplateText } from "../../infra/local/cloudformation/tags.ts";

type Value = string | boolean;

interface Parameter {
  readonly Type: string;
  readonly AllowedValues?: readonly (string | number)[];
  readonly AllowedPattern?: string;
  readonly MinValue?: number;
  readonly MaxValue?: number;
}

/** The part of TOML that samconfig.toml needs; anything else in it fails. */
function readToml(text: string): Record<string, Record<string, Value>> {
  const tables: Record<string, Record<string, Value>> = { "": {} };
  let table = "";
  for (const line of text.split("\n").map((each) => each.trim())) {
    const [, name] = /^\[([\w.-]+)\]$/.exec(line) ?? [];
    const [, key = "", string, bare] = /^(\w+) = (?:"([^"\\]*)"|(true|false|\d+(?:\.\d+)?))$/.exec(line) ?? [];
    if (line === "" || line.startsWith("#")) continue;
    if (name !== undefined) {
      if (tables[name] !== undefined) throw new Error(`[${name}] is there twice`);
      table = name;
      tables[table] = {};
    } else if (string !== undefined || bare !== undefined) {
      Object.assign(tables[table] ?? {}, {
        [key]: string ?? (bare === "true" || bare === "false" ? bare === "true" : bare),
      });
    } else throw new Error(`samconfig.toml: cannot read: ${line}`);
  }
  return tables;
}

const tables = readToml(readFileSync(`${root}samconfig.toml`, "utf8"));
const template = parseTemplateText(readFileSync(`${root}template.yaml`, "utf8")) as {
  Parameters: Record<string, Parameter>;
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown> }>;
};

/** Why CloudFormation would refuse the value; undefined when it would not. */
function refusal(name: string, value: string): string | undefined {
  const parameter = template.Parameters[name];
  if (parameter === undefined) return `the template has no parameter ${name}`;
  const { AllowedValues, AllowedPattern, MinValue = -Infinity, MaxValue = Infinity } = parameter;
  if (AllowedValues !== undefined && !AllowedValues.map(String).includes(value)) return `${name} may not be ${value}`;
  if (AllowedPattern !== undefined && !new RegExp(`^(?:${AllowedPattern})$`).test(value))
    return `${name} is no ${AllowedPattern}`;
  const number = Number(value);
  if (parameter.Type !== "Number") return undefined;
  return number >= MinValue && number <= MaxValue ? undefined : `${name} is out of its range`;
}

const overridesOf = (environment: string): [string, string][] => {
  const text = String(tables[`${environment}.deploy.parameters`]?.["parameter_overrides"] ?? "");
  return text
    .split(" ")
    .filter(Boolean)
    .map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
};

describe.each(["default", "production"])("sam deploy --config-env %s", (environment) => {
  const deploy = tables[`${environment}.deploy.parameters`] ?? {};

  test("names only parameters of the template, with values that it allows", () => {
    expect(overridesOf(environment).flatMap(([name, value]) => refusal(name, value) ?? [])).toEqual([]);
  });

  test("shows what it will do before it does it, and asks for no more than the roles need", () => {
    expect(deploy).toMatchObject({ confirm_changeset: true, resolve_s3: true, capabilities: "CAPABILITY_IAM" });
    // A role or a policy with a name of ours would need CAPABILITY_NAMED_IAM.
    const named = Object.entries(template.Resources).filter(
      ([, { Type, Properties = {} }]) =>
        Type.startsWith("AWS::IAM::") && ("RoleName" in Properties || "ManagedPolicyName" in Properties),
    );
    expect(named.map(([id]) => id)).toEqual([]);
  });

  test("is built and validated like the other", () => {
    expect(tables[`${environment}.build.parameters`]).toEqual(tables["default.build.parameters"]);
    expect(tables[`${environment}.validate.parameters`]).toEqual({ lint: true });
  });
});

test("the two environments are two stacks, whose artifacts do not meet", () => {
  const [one, two] = ["default", "production"].map((environment) => tables[`${environment}.deploy.parameters`]);
  for (const key of ["stack_name", "s3_prefix"]) expect(one?.[key], key).not.toBe(two?.[key]);
  expect(Object.keys(tables).filter((name) => !/^(default|production)\.|^$/.test(name))).toEqual([]);
});

test("what is deployed to production acts, and its ledger is protected", () => {
  const production = Object.fromEntries(overridesOf("production"));
  expect(production).toMatchObject({ Mode: "act", TableDeletionProtection: "true" });
});
