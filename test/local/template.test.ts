import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { periodOf } from "../../infra/local/schedules.ts";
import { parseTemplate, readTemplate } from "../../infra/local/template.ts";

const place = { stack: "drover", region: "eu-west-1", account: "123456789012" };
const one = (properties: string, more = "") =>
  parseTemplate(
    `${more}\nResources:\n  Fn:\n    Type: AWS::Serverless::Function\n    Properties: ${properties}\n`,
    place,
  );
const variable = (value: string, more = "") =>
  one(`{ Handler: a.handler, Environment: { Variables: { V: ${value} } } }`, more).functions[0]?.environment["V"];

test("the project's template gives its functions, their route, their schedule and the ledger's keys", () => {
  const file = fileURLToPath(new URL("../../template.yaml", import.meta.url));
  const template = readTemplate(file, place);
  const webhook = template.functions.find(({ id }) => id === "ZoomiesWebhook");
  const reconciler = template.functions.find(({ id }) => id === "ZoomiesReconciler");
  expect(webhook).toMatchObject({
    module: "zoomies-webhook",
    exportName: "handler",
    routes: [{ method: "POST", path: "/zoomies/capacity" }],
    environment: { DROVER_STACK: "drover", DROVER_TABLE: template.tables[0]?.name },
  });
  expect(webhook?.environment["DROVER_ZOOMIES_SECRET"]).toBe(template.secrets[0]?.arn);
  expect(reconciler?.schedules).toEqual([{ expression: "rate(1 minute)", input: undefined }]);
  expect(template.tables[0]?.properties["KeySchema"]).toEqual([
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ]);
});

test.each([
  ["!Ref AWS::StackName", "drover"],
  ["!Ref Minutes", "15"],
  [`!Sub "\${AWS::Region}/\${Minutes}/\${!Literal}"`, `eu-west-1/15/\${Literal}`],
  [`!Sub ["\${a}-\${Minutes}", { a: !Ref AWS::Region }]`, "eu-west-1-15"],
  ["!GetAtt Fn.Arn", "arn:aws:lambda:eu-west-1:123456789012:function:drover-Fn"],
  ["{ Fn::GetAtt: [Fn, Arn] }", "arn:aws:lambda:eu-west-1:123456789012:function:drover-Fn"],
  ["!If [IsOn, yes-please, !Ref AWS::NoValue]", "yes-please"],
  ["!If [IsOff, yes-please, !Ref AWS::NoValue]", undefined],
  ['!Join ["-", [a, !Ref Minutes]]', "a-15"],
  ['!Select [1, !Split [",", "a,b"]]', "b"],
  ["!FindInMap [M, a, b]", "found"],
  ["true", "true"],
  ["9", "9"],
])("an environment variable %s is %s", (value, expected) => {
  const more = `
Parameters: { Minutes: { Type: Number, Default: 15 } }
Conditions:
  IsOn: !Equals [!Ref Minutes, "15"]
  IsOff: !Not [!Condition IsOn]
Mappings: { M: { a: { b: found } } }`;
  expect(variable(value, more)).toBe(expected);
});

test("a given parameter wins over its default", () => {
  const text = `
Parameters: { Minutes: { Type: Number, Default: 15 } }
Resources:
  Fn:
    Type: AWS::Serverless::Function
    Properties: { Handler: a.handler, Environment: { Variables: { V: !Ref Minutes } } }`;
  expect(parseTemplate(text, place, { Minutes: "3" }).functions[0]?.environment["V"]).toBe("3");
});

test("a function's own settings win over the template's globals, and Lambda's defaults fill the rest", () => {
  const globals = "Globals: { Function: { Timeout: 20, Environment: { Variables: { A: global, B: global } } } }";
  const [fn] = one("{ Handler: x/y.run, Environment: { Variables: { B: own } } }", globals).functions;
  expect(fn).toMatchObject({ module: "y", exportName: "run", timeoutSeconds: 20, memoryMegabytes: 128 });
  expect(fn?.environment).toEqual({ A: "global", B: "own" });
});

test("a resource whose condition does not hold is not there", () => {
  const text = `
Conditions: { Never: !Equals [a, b] }
Resources:
  Fn: { Type: AWS::Serverless::Function, Condition: Never, Properties: { Handler: a.handler } }
  Table: { Type: AWS::DynamoDB::Table, Properties: { TableName: ledger } }`;
  expect(parseTemplate(text, place)).toMatchObject({ functions: [], tables: [{ name: "ledger" }] });
});

test.each([
  ["!Ref Nothing", "Fn in the template: V in the template: The template refers to Nothing, which it does not declare."],
  ["!GetAtt Fn.Color", "Fn in the template: V in the template: The local world does not know Color of Fn"],
  ["!Cidr [a, 1, 2]", "the intrinsic function Fn::Cidr"],
  ["!Ref NoDefault", "Parameter NoDefault has no default"],
])("a variable that cannot be resolved (%s) is named in the error", (value, message) => {
  expect(() => variable(value, "Parameters: { NoDefault: { Type: String } }")).toThrow(message);
});

test("a broken template, an odd handler and a schedule that is no rate are refused with their reason", () => {
  expect(() => parseTemplate("a: [", place)).toThrow("not valid YAML");
  expect(() => parseTemplate("", place)).toThrow("declares no resources");
  expect(() => one("{ Handler: nohandler }")).toThrow('Handler must be <file>.<export>, but is "nohandler"');
  expect(() => one("{ Handler: a.handler, Events: { E: { Type: SQS } } }")).toThrow("no events of type SQS");
  expect(() => periodOf("cron(0 * * * ? *)")).toThrow("rate(...) schedules only");
  expect(periodOf("rate(5 minutes)")).toBe(300_000);
});
