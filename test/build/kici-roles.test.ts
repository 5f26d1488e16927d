import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../infra/build/entry-points.ts";
import { parseTemplateText } from "../../infra/local/cloudformation/tags.ts";

type Condition = Record<string, Record<string, unknown>>;
type Statement = { Sid: string; Effect: string; Action: string | string[]; Resource: unknown; Condition?: Condition };
type Policy = { PolicyDocument: { Statement: Statement[] } };
type Resource = { Type: string; Condition?: string; Properties: Record<string, unknown> };

const text = readFileSync(`${root}template.yaml`, "utf8");
const { Resources: resources } = parseTemplateText(text) as { Resources: Record<string, Resource> };
const stack = { Ref: "AWS::StackName" };

/** The statements of a role that allow an action, as resource type -> condition. */
function granted(role: string, action: string): Record<string, Condition | undefined> {
  const policies = resources[role]?.Properties["Policies"] as Policy[];
  const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
  const found: Record<string, Condition | undefined> = {};
  for (const { Resource, Condition } of statements.filter((one) => [one.Action].flat().includes(action))) {
    for (const arn of [Resource].flat() as { "Fn::Sub": string }[]) {
      const type = /:([a-z-]+)\/\*$/.exec(arn["Fn::Sub"])?.[1] ?? JSON.stringify(arn);
      expect(Object.keys(found)).not.toContain(type);
      found[type] = Condition;
    }
  }
  return found;
}

const fromTemplate = {
  ArnLike: { "ec2:LaunchTemplate": { "Fn::Sub": expect.stringMatching(/:launch-template\/\*$/) } },
};
const ourTags = {
  ...fromTemplate,
  StringEquals: { "aws:RequestTag/drover:stack": stack },
  Null: { "aws:RequestTag/kici-agent-id": "false" },
};
const templatesOwn = { ...fromTemplate, Bool: { "ec2:IsLaunchTemplateResource": "true" } };

test("a launch is from this stack's templates, tagged as ours, with nothing that the template does not name but a subnet", () => {
  expect(granted("KiciScaleUpRole", "ec2:RunInstances")).toEqual({
    "launch-template": { StringEquals: { "aws:ResourceTag/drover:stack": stack } },
    instance: ourTags,
    volume: ourTags,
    "network-interface": ourTags,
    subnet: fromTemplate,
    image: templatesOwn,
    "security-group": templatesOwn,
    "key-pair": templatesOwn,
  });
});

test("tags are written in a launch and at no other time", () => {
  const inTheLaunch = { StringEquals: { "ec2:CreateAction": "RunInstances", "aws:RequestTag/drover:stack": stack } };
  expect(granted("KiciScaleUpRole", "ec2:CreateTags")).toEqual({
    instance: inTheLaunch,
    volume: inTheLaunch,
    "network-interface": inTheLaunch,
  });
});

test("only an agent's instance of this stack can be terminated", () => {
  for (const role of ["KiciScaleUpRole", "KiciScaleDownRole", "KiciReaperRole"]) {
    expect(granted(role, "ec2:TerminateInstances")).toEqual({
      instance: {
        StringEquals: { "aws:ResourceTag/drover:stack": stack },
        Null: { "aws:ResourceTag/kici-agent-id": "false" },
      },
    });
  }
});

test("nobody but the scale-up may launch, tag, or pass a role on", () => {
  for (const role of ["KiciScaleDownRole", "KiciReaperRole"]) {
    for (const action of ["ec2:RunInstances", "ec2:CreateTags", "iam:PassRole"])
      expect(granted(role, action)).toEqual({});
  }
});

test("one role is passed on, to EC2 alone, and only where it is named", () => {
  const policy = resources["KiciInstanceRolePass"];
  expect(policy?.Condition).toBe("HasKiciInstanceRole");
  expect(policy?.Properties["Roles"]).toEqual([{ Ref: "KiciScaleUpRole" }]);
  const { Statement } = (policy as Resource).Properties["PolicyDocument"] as Policy["PolicyDocument"];
  expect(Statement).toEqual([
    {
      Sid: "PassInstanceRole",
      Effect: "Allow",
      Action: "iam:PassRole",
      Resource: { Ref: "KiciInstanceRoleArn" },
      Condition: { StringEquals: { "iam:PassedToService": "ec2.amazonaws.com" } },
    },
  ]);
});

test("the scale-up function ends within 25 s, as its lease expects", () => {
  expect(resources["KiciScaleUp"]?.Properties["Timeout"]).toBe(25);
});
