import { expect, test } from "vitest";
import { actionsOf, resourcesWith, statementsOf } from "./policies.ts";

type Condition = Record<string, Record<string, unknown>>;

const resources = resourcesWith();
const stack = { Ref: "AWS::StackName" };

/** The statements of a role that allow an action, as resource type -> condition. */
function granted(role: string, action: string): Record<string, Condition | undefined> {
  const statements = statementsOf(role, resources);
  const found: Record<string, Condition | undefined> = {};
  for (const { Resource, Condition } of statements.filter((one) => [one.Action].flat().includes(action))) {
    for (const arn of [Resource].flat() as { "Fn::Sub": string }[]) {
      const type = /:([a-z-]+)\/\*$/.exec(arn["Fn::Sub"])?.[1] ?? JSON.stringify(arn);
      expect(Object.keys(found)).not.toContain(type);
      found[type] = Condition as Condition | undefined;
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
    const allowed = statementsOf(role, resources).flatMap(actionsOf);
    for (const action of ["ec2:RunInstances", "ec2:CreateTags", "iam:PassRole"]) expect(allowed).not.toContain(action);
  }
});

test("one role is passed on, to EC2 alone, and only where it is named and Drover acts", () => {
  const passes = (parameters: Record<string, string>) =>
    resourcesWith(parameters)
      .all.filter(({ type }) => type === "AWS::IAM::Policy")
      .map(({ properties }) => properties);
  expect(passes({ KiciInstanceRoleArn: "" })).toEqual([]);
  expect(passes({ Mode: "observe" })).toEqual([]);
  const [policy, ...more] = passes({});
  expect(more).toEqual([]);
  expect(policy?.["Roles"]).toEqual([{ Ref: "KiciScaleUpRole" }]);
  expect(policy?.["PolicyDocument"]).toMatchObject({
    Statement: [
      {
        Sid: "PassInstanceRole",
        Effect: "Allow",
        Action: "iam:PassRole",
        Resource: { Ref: "KiciInstanceRoleArn" },
        Condition: { StringEquals: { "iam:PassedToService": "ec2.amazonaws.com" } },
      },
    ],
  });
});

test("the scale-up function ends within 25 s, as its lease expects", () => {
  expect(resources.all.find(({ id }) => id === "KiciScaleUp")?.properties["Timeout"]).toBe(25);
});
