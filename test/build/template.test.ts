import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { awsCallsOf } from "../../infra/build/contents.ts";
import { functionNames, logicalIdOf, root } from "../../infra/build/entry-points.ts";
import { templateFunctions } from "../../infra/build/template-functions.ts";
import { parseTemplateText } from "../../infra/local/cloudformation/tags.ts";
import { type BuiltFunctions, buildFunctions, bundleOf } from "./built-functions.ts";
import { actionsOf, resourcesWith, roleOf, statementsOf } from "./policies.ts";

type Section = Record<string, unknown>;
type Resource = { Type: string; Metadata?: Section; Properties: Section };

const text = readFileSync(`${root}template.yaml`, "utf8");
const template = parseTemplateText(text) as { Globals: { Function: Section }; Resources: Record<string, Resource> };
const resources = template.Resources;
const ofType = (type: string) => Object.entries(resources).filter(([, resource]) => resource.Type === type);
const functions = ofType("AWS::Serverless::Function");

let built: BuiltFunctions;

beforeAll(async () => {
  built = await buildFunctions();
});

afterAll(() => built?.remove());

/** The resource that `!Ref` or `!GetAtt X.Arn` names. */
function target(reference: unknown): Resource | undefined {
  const { Ref, "Fn::GetAtt": attribute } = reference as { Ref?: string; "Fn::GetAtt"?: string[] };
  return resources[Ref ?? attribute?.[0] ?? ""];
}

const acting = resourcesWith();

test("every function in functions/ is in the template under its own name, and the other way round", () => {
  expect(functions.map(([id]) => id).sort()).toEqual(functionNames().map(logicalIdOf).sort());
  for (const { id, module, exportName } of templateFunctions()) {
    expect(logicalIdOf(module)).toBe(id);
    expect(exportName).toBe("handler");
  }
});

test("no text stands for a second place: CloudFormation reads no YAML aliases", () => {
  expect(text).not.toMatch(/^\s*[\w-]+: [&*]\w/m);
});

test("what is uploaded stays within CloudFormation's 1 MB for a template in S3, with room for what SAM makes of it (cases.md 37)", () => {
  expect(Buffer.byteLength(text)).toBeLessThan(250_000);
});

test("no concurrency is reserved or provisioned, which a new account could not grant (cases.md 62)", () => {
  expect(text).not.toMatch(/^\s*(ReservedConcurrentExecutions|ProvisionedConcurrencyConfig)\b/m);
});

test("no group's desired capacity is set by a deployment (cases.md 56)", () => {
  expect(text).not.toMatch(/^\s*DesiredCapacity\b/m);
});

test("all functions run arm64 on nodejs24.x", () => {
  const common = template.Globals.Function;
  for (const [id, { Properties }] of functions) {
    expect(Properties["Runtime"] ?? common["Runtime"], id).toBe("nodejs24.x");
    expect(Properties["Architectures"] ?? common["Architectures"], id).toEqual(["arm64"]);
  }
});

test("the webhook ends before the sender's 10 s do", () => {
  expect(templateFunctions().find(({ module }) => module === "zoomies-webhook")?.timeoutSeconds).toBeLessThan(10);
});

test("every log group says how long it keeps what it holds", () => {
  for (const [id, { Properties }] of ofType("AWS::Logs::LogGroup")) {
    expect(Properties["RetentionInDays"], id).toBeDefined();
  }
});

test("access logs hold neither headers nor bodies", () => {
  for (const [id, { Properties }] of ofType("AWS::Serverless::HttpApi")) {
    const { Format } = Properties["AccessLogSettings"] as { Format: string };
    expect(Object.keys(JSON.parse(Format)).length, id).toBeGreaterThan(3);
    expect(Format, id).not.toMatch(/header|body|authorizer|signature/i);
  }
});

test("the ledger expires, can be restored, and does not go away by accident", () => {
  const [[, table] = []] = ofType("AWS::DynamoDB::Table");
  expect(table?.Properties).toMatchObject({
    BillingMode: "PAY_PER_REQUEST",
    TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    DeletionProtectionEnabled: { Ref: "TableDeletionProtection" },
  });
});

test("secrets are generated as raw strings of at least 32 bytes of entropy, or put there by hand; no value is in the template", () => {
  for (const [id, { Properties }] of ofType("AWS::SecretsManager::Secret")) {
    expect(Properties["SecretString"], id).toBeUndefined();
    if (id === "HelmrCapacityToken") continue;
    const generated = Properties["GenerateSecretString"] as { PasswordLength: number; SecretStringTemplate?: string };
    // Letters and digits alone: log2(62) bits each.
    expect(generated.PasswordLength * Math.log2(62), id).toBeGreaterThanOrEqual(256);
    expect(generated.SecretStringTemplate, id).toBeUndefined();
  }
});

describe.each(functions)("%s", (id, { Metadata, Properties }) => {
  const declared = () => {
    const found = templateFunctions().find((candidate) => candidate.id === id);
    if (found === undefined) throw new Error(`${id} cannot be read from the template.`);
    return found;
  };

  test("is built by the project's bundler whenever SAM builds", () => {
    expect(Metadata).toEqual({ BuildMethod: "makefile" });
    expect(Properties["CodeUri"]).toBe("infra/build");
  });

  test("finds every DROVER_ variable that its code reads, and no other", () => {
    const read = readFileSync(bundleOf(built, declared().module).file, "utf8").match(/\bDROVER_[A-Z_]+\b/g) ?? [];
    const given = Object.keys(declared().environment).filter((name) => name.startsWith("DROVER_"));
    expect(given.sort()).toEqual([...new Set(read)].sort());
  });

  test("has an environment far below Lambda's 4 KB (cases.md 37)", () => {
    expect(Buffer.byteLength(JSON.stringify(declared().environment))).toBeLessThan(2_048);
  });

  test("has at least 256 MB (cases.md 64)", () => {
    expect(declared().memoryMegabytes).toBeGreaterThanOrEqual(256);
  });

  test("writes to a log group of its own", () => {
    const { LogGroup } = Properties["LoggingConfig"] as { LogGroup: unknown };
    expect(target(LogGroup)?.Type).toBe("AWS::Logs::LogGroup");
    const sharing = functions.filter(([, other]) => {
      const logging = other.Properties["LoggingConfig"] as { LogGroup: unknown };
      return JSON.stringify(logging.LogGroup) === JSON.stringify(LogGroup);
    });
    expect(sharing.map(([other]) => other)).toEqual([id]);
  });

  test("may make no AWS call that is not in its bundle; what it calls, and that it may, is seen by the whole suite (test/iam)", () => {
    const allowed = new Set(statementsOf(roleOf(id, acting), acting).flatMap(actionsOf));
    const calls = awsCallsOf(bundleOf(built, declared().module).metafile);
    // CreateTags is no call of ours: EC2 asks for it when a launch brings tags.
    const asked = [...allowed].filter((action) => !/^(logs|sqs):|^ec2:CreateTags$|^iam:PassRole$/.test(action));
    expect(asked.length).toBeGreaterThan(0);
    for (const action of asked) expect(calls).toContain(action);
  });

  test("mutates only what carries this stack's tag, and names every other resource", () => {
    for (const statement of statementsOf(roleOf(id, acting), acting)) {
      for (const action of actionsOf(statement)) {
        expect(action, statement.Sid).not.toContain("*");
        // Single instances have rules of their own (kici-roles.test.ts).
        if (/^autoscaling:(?!Describe)/.test(action)) {
          expect(statement.Condition, statement.Sid).toEqual({
            StringEquals: { "aws:ResourceTag/drover:stack": { Ref: "AWS::StackName" } },
          });
        }
        if (!/:Describe/.test(action)) expect(statement.Resource, statement.Sid).not.toBe("*");
      }
    }
  });

  test("if it is scheduled: is not retried, drops late events, and reports a failed run", () => {
    const events = Object.values((Properties["Events"] ?? {}) as Record<string, { Type: string; Properties: Section }>);
    const schedules = events.filter(({ Type }) => Type === "ScheduleV2");
    const once = { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 };
    for (const schedule of schedules) expect(schedule.Properties["RetryPolicy"]).toEqual(once);
    if (schedules.length === 0) return;
    expect(Properties["EventInvokeConfig"]).toMatchObject(once);
    const { OnFailure } = (
      Properties["EventInvokeConfig"] as { DestinationConfig: { OnFailure: { Destination: unknown } } }
    ).DestinationConfig;
    expect(target(OnFailure.Destination)?.Type).toBe("AWS::SQS::Queue");
    const sends = statementsOf(roleOf(id, acting), acting).filter((one) => actionsOf(one).includes("sqs:SendMessage"));
    expect(sends.map(({ Resource }) => Resource)).toEqual([OnFailure.Destination]);
  });
});
