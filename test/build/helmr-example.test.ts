import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { helmrFleet } from "../../lib/capacity/helmr-fleet.ts";
import { makeGroup } from "../capacity/made-group.ts";

interface Example {
  readonly Parameters: Readonly<Record<string, { Default?: string | number }>>;
  readonly Resources: { readonly Group: { readonly Properties: Readonly<Record<string, unknown>> } };
}

const file = fileURLToPath(new URL("../../infra/examples/helmr-group.yaml", import.meta.url));
const scalar = (tag: string) => ({ tag, resolve: (value: string) => ({ [tag]: value }) });
const example: Example = parse(readFileSync(file, "utf8"), {
  customTags: [scalar("!Ref"), scalar("!Sub"), scalar("!GetAtt")],
  logLevel: "silent",
});
const group = example.Resources.Group;
const tags = group.Properties["Tags"] as { Key: string; Value: { "!Ref": string }; PropagateAtLaunch: boolean }[];

test("a deploy of the example neither sets desired capacity nor replaces hosts (cases.md 56, 76)", () => {
  expect(group.Properties).not.toHaveProperty("DesiredCapacity");
  expect(group).not.toHaveProperty("UpdatePolicy");
  expect(group.Properties["NewInstancesProtectedFromScaleIn"]).toBe(true);
});

test("its tags stay on the group, and Drover reads them as a Helmr pool that it does not shrink yet", () => {
  expect(tags.every(({ PropagateAtLaunch }) => PropagateAtLaunch === false)).toBe(true);
  const given: Readonly<Record<string, string>> = { DroverStack: "drover", WorkerGroup: "builds", Pool: "general" };
  const values = tags.map(({ Key, Value: { "!Ref": parameter } }) => [
    Key,
    given[parameter] ?? String(example.Parameters[parameter]?.Default),
  ]);
  const { fleet, findings } = helmrFleet(makeGroup(Object.fromEntries(values)));
  expect(findings).toBeUndefined();
  expect(fleet).toMatchObject({ workerGroup: "builds", pool: "general", scaleIn: "off", idleMinutes: 10 });
});
