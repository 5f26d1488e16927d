import { expect, test } from "vitest";
import type { Resources } from "../../infra/local/cloudformation/resources.ts";
import { actionsOf, decided, resourcesWith, roleOf, statementsOf } from "./policies.ts";

const nothing = { Zoomies: "off", Kici: "off", HelmrControlPlaneUrl: "", HandleInterruptions: "off" };
const named = (resources: Resources) => resources.all.map(({ id }) => id);
const functionsOf = (resources: Resources) =>
  resources.all.filter(({ type }) => type === "AWS::Serverless::Function").map(({ id }) => id);

/** Everything that a value refers to by name. */
function references(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(references);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => {
    if (key === "Ref") return [String(part)];
    if (key === "Fn::GetAtt") return [String((part as string[])[0])];
    if (key !== "Fn::Sub") return references(part);
    const [text, more] = Array.isArray(part) ? part : [part, {}];
    const names = [...String(text).matchAll(/\$\{([\w:]+)/g)].map(([, name = ""]) => name);
    return [...names.filter((name) => !Object.hasOwn(more as object, name)), ...references(more)];
  });
}

test.each([
  ["Zoomies", { Zoomies: "off" }, /^(Zoomies|DemandLost)/],
  ["KiCI", { Kici: "off" }, /^Kici/],
  ["Helmr", { HelmrControlPlaneUrl: "", HelmrCadence: "ticks" }, /^Helmr/],
  ["interruptions", { HandleInterruptions: "off" }, /^Interruption/],
])(
  "without %s there is no function, secret, schedule, queue, alarm or log of it, and all the rest",
  (_, without, pattern) => {
    const all = named(resourcesWith({ HelmrCadence: "ticks" }));
    const left = named(resourcesWith({ HelmrCadence: "ticks", ...without }));
    expect(all.filter((id) => pattern.test(id)).length).toBeGreaterThan(2);
    expect(left.filter((id) => pattern.test(id))).toEqual([]);
    // What several share stays, but for the way a role is passed on, which is KiCI's.
    expect(all.filter((id) => !pattern.test(id) && !left.includes(id))).toEqual([]);
  },
);

test("without Zoomies' API the groups are raised, and there are no tokens and no join", () => {
  const left = named(resourcesWith({ ZoomiesApiUrl: "" }));
  expect(left).toContain("ZoomiesReconciler");
  for (const gone of ["ZoomiesJoin", "ZoomiesHostsToken", "ZoomiesJoinsToken"]) expect(left).not.toContain(gone);
});

test("with everything off the stack has no function, no secret, no API and nothing that runs", () => {
  const types = new Set(resourcesWith(nothing).all.map(({ type }) => type));
  for (const type of ["Serverless::Function", "SecretsManager::Secret", "Serverless::HttpApi", "SQS::Queue"]) {
    expect(types).not.toContain(`AWS::${type}`);
  }
});

const switches = [
  { Zoomies: "off" },
  { ZoomiesApiUrl: "" },
  { Kici: "off" },
  { HelmrControlPlaneUrl: "" },
  { HandleInterruptions: "off" },
  { HelmrCadence: "ticks" },
  { Mode: "observe" },
  { VpcSubnetIds: "subnet-1,subnet-2", VpcSecurityGroupIds: "sg-1", CaBundleLayerArn: "arn:aws:lambda:x:1:layer:ca:1" },
  { DomainName: "drover.example.com", CertificateArn: "arn:aws:acm:eu-west-1:123456789012:certificate/1" },
  { AlarmEmail: "a@example.com", AlarmKmsKeyArn: "arn:aws:kms:eu-west-1:123456789012:key/1" },
];
const combinations = [
  nothing,
  ...switches,
  ...switches.flatMap((one, at) => switches.slice(at + 1).map((two) => ({ ...one, ...two }))),
];

test("no two switches together leave anything that refers to what is not there", () => {
  for (const parameters of combinations) {
    const resources = resourcesWith(parameters);
    const there = new Set(named(resources));
    const absent = new Set(
      named(resourcesWith({ HelmrCadence: "ticks", ...switches[7], ...switches[8], ...switches[9] })),
    );
    for (const { id, properties } of resources.all) {
      const dangling = references(decided(properties, resources)).filter(
        (name) => absent.has(name) && !there.has(name),
      );
      expect(dangling, `${id} with ${JSON.stringify(parameters)}`).toEqual([]);
    }
  }
});

test("in observe mode no function may change anything but the ledger, and reads stay as they are", () => {
  const observing = resourcesWith({ Mode: "observe", HelmrCadence: "ticks" });
  const acting = resourcesWith({ HelmrCadence: "ticks" });
  const isMutation = (action: string) => /^(autoscaling|ec2|iam):/.test(action) && !/:Describe/.test(action);
  for (const id of functionsOf(observing)) {
    const actions = (of: Resources) => statementsOf(roleOf(id, of), of).flatMap(actionsOf);
    expect(actions(observing).filter(isMutation), id).toEqual([]);
    expect(actions(observing), id).toEqual(actions(acting).filter((action) => !isMutation(action)));
  }
});

test("every function knows whether it acts or observes", () => {
  const { globals } = resourcesWith();
  expect(globals["Environment"]).toMatchObject({ Variables: { DROVER_MODE: { Ref: "Mode" } } });
});

test("in a VPC the functions that call a controller are attached to it, and their code can use none of what attaching needs", () => {
  const inVpc = resourcesWith({ VpcSubnetIds: "subnet-1", VpcSecurityGroupIds: "sg-1" });
  const attached = inVpc.all.filter(({ properties }) => decided(properties["VpcConfig"], inVpc) !== undefined);
  const calling = functionsOf(inVpc).filter((id) => /Zoomies(Reconciler|Join)|Helmr|Interruption/.test(id));
  expect(attached.map(({ id }) => id).sort()).toEqual(calling.sort());
  for (const id of calling) {
    const role = inVpc.all.find((each) => each.id === roleOf(id, inVpc));
    expect(decided(role?.properties["ManagedPolicyArns"], inVpc), id).toEqual([{ Ref: "VpcAccess" }]);
  }
  const access = inVpc.all.find(({ id }) => id === "VpcAccess")?.properties["PolicyDocument"] as {
    Statement: { Effect: string; Action: string[]; Resource: unknown }[];
  };
  const [, allowed, denied] = access.Statement;
  expect(denied?.Effect).toBe("Deny");
  expect(denied?.Action).toEqual(allowed?.Action);
  expect(allowed?.Resource).not.toBe("*");
});

test("alarms are on by default, go to one topic, and no key of AWS's own keeps CloudWatch out of it", () => {
  const resources = resourcesWith();
  const [topic, ...more] = resources.ofType("AWS::SNS::Topic");
  expect(more).toEqual([]);
  expect(topic?.properties).toEqual({});
  for (const { id, properties } of resources.ofType("AWS::CloudWatch::Alarm")) {
    const actions = [resources.scope.ref(topic?.id ?? "")];
    expect(properties, id).toMatchObject({ ActionsEnabled: true, AlarmActions: actions, OKActions: actions });
  }
});
