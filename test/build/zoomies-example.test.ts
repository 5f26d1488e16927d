import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";

const root = new URL("../../", import.meta.url);
const text = (path: string) => readFileSync(fileURLToPath(new URL(path, root)), "utf8");
const scalar = (tag: string) => ({ tag, resolve: (value: string) => ({ [tag]: value }) });
const example = parse(text("infra/examples/zoomies-group.yaml"), {
  customTags: [scalar("!Ref"), scalar("!Sub"), scalar("!GetAtt")],
  logLevel: "silent",
}) as { Resources: Record<string, { Properties: Record<string, never>; UpdatePolicy?: unknown }> };
const group = example.Resources["Group"];
const properties = (group?.Properties ?? {}) as Record<string, unknown>;
const template = example.Resources["HostTemplate"]?.Properties["LaunchTemplateData"] as
  | Record<string, unknown>
  | undefined;

test("a deploy of the example neither sets desired capacity nor replaces hosts (cases.md 56, 76)", () => {
  expect(properties).not.toHaveProperty("DesiredCapacity");
  expect(group).not.toHaveProperty("UpdatePolicy");
  expect(properties["NewInstancesProtectedFromScaleIn"]).toBe(true);
});

test("its launch hook lets hosts live while Drover is down, and waits twice the join deadline", () => {
  const [, deadline] =
    /JoinDeadlineMinutes:\n\s+Type: Number\n(?:.*\n)*?\s+Default: (\d+)/.exec(text("template.yaml")) ?? [];
  const [hook] = properties["LifecycleHookSpecificationList"] as Record<string, unknown>[];
  expect(hook).toMatchObject({ DefaultResult: "CONTINUE", LifecycleTransition: "autoscaling:EC2_INSTANCE_LAUNCHING" });
  expect(hook?.["HeartbeatTimeout"]).toBeGreaterThanOrEqual(2 * 60 * Number(deadline));
});

test("its tags stay on the group, and make it Drover's", () => {
  const tags = properties["Tags"] as { Key: unknown; PropagateAtLaunch: boolean }[];
  expect(tags.every(({ PropagateAtLaunch }) => PropagateAtLaunch === false)).toBe(true);
  const keys = tags.map(({ Key }) => Key);
  expect(keys).toEqual(expect.arrayContaining(["drover:stack", "drover:slots-per-host", "drover:scale-in"]));
});

test("its instances keep their role from containers, and run the join script as it is, within user data's size", () => {
  expect(template?.["MetadataOptions"]).toMatchObject({ HttpTokens: "required", HttpPutResponseHopLimit: 1 });
  const userData = template?.["UserData"] as Record<string, Record<string, string>> | undefined;
  const cloudConfig = userData?.["Fn::Base64"]?.["!Sub"] ?? "";
  // EC2 takes 16 KB before encoding (EC2 user guide, "Run commands when you launch an instance").
  expect(Buffer.byteLength(cloudConfig)).toBeLessThan(16_384 - 500);
  expect(cloudConfig.startsWith("#cloud-config\n")).toBe(true);
  const [file] = (parse(cloudConfig) as { write_files: { content: string }[] }).write_files;
  expect(file?.content).toBe(text("infra/examples/zoomies/join.py"));
  // What CloudFormation would replace inside of the script.
  expect(file?.content).not.toContain("$" + "{");
});
