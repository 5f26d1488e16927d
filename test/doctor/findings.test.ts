import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { launchHook } from "../../infra/local/launch-hook.ts";
import { helmrPolicyFields } from "../../lib/capacity/helmr-fleet.ts";
import { type DoctorWorld, startDoctorWorld } from "./doctor-world.ts";

type Provoke = (world: DoctorWorld) => void;

/** A world for each finding: what must be wrong for it to show. */
const worlds: Readonly<Record<string, Provoke>> = {
  // The stack and its parameters.
  stack_status: ({ deployed }) => {
    deployed.status = "UPDATE_ROLLBACK_COMPLETE";
  },
  output_missing: ({ deployed }) => void delete deployed.outputs["KiciScaleUpUrl"],
  no_fleet: (world) => world.cloud.deleteLaunchTemplate(world.scaler),
  integration_off: ({ deployed }) => {
    deployed.parameters["HelmrControlPlaneUrl"] = "";
  },
  host_role_missing: ({ deployed }) => {
    deployed.parameters["ZoomiesHostRoleArn"] = "";
  },
  scale_in_without_api: ({ deployed }) => {
    deployed.parameters["ZoomiesApiUrl"] = "";
  },
  role_not_passable: (world) =>
    void world.cloud.addLaunchTemplateVersion(
      world.scaler,
      { IamInstanceProfile: { Name: "agents" } },
      { makeDefault: true },
    ),
  observe_mode: ({ deployed }) => {
    deployed.parameters["Mode"] = "observe";
  },
  alarms_off: ({ deployed }) => {
    deployed.parameters["Alarms"] = "off";
  },
  table_unprotected: ({ deployed }) => {
    deployed.parameters["TableDeletionProtection"] = "false";
  },
  unread: ({ faults }) =>
    void faults.add({ kind: "error", on: "auto-scaling:DescribeAutoScalingGroups", code: "AccessDenied" }),

  // Tags.
  missing_tag: (world) => world.tag("linux", { "drover:slots-per-host": undefined }),
  bad_tag: (world) => world.tag("linux", { "drover:slots-per-host": "four" }),
  two_masters: (world) => world.tag("linux", { "drover:helmr-group": "default", "drover:helmr-pool": "small" }),
  weighted_capacity: ({ cloud }) => {
    const id = cloud.createLaunchTemplate({ name: "weighted" });
    const LaunchTemplateSpecification = { LaunchTemplateId: id, Version: "$Latest" };
    const Overrides = [{ InstanceType: "m7i.large" as const, WeightedCapacity: "2" }];
    cloud.updateGroup("linux", { mixed: { LaunchTemplate: { LaunchTemplateSpecification, Overrides } } });
  },
  fleet_paused: (world) => world.tag("linux", { "drover:paused": "for now" }),
  serves_nothing: (world) => world.tag("linux", { "drover:zoomies-pool/pool_a": undefined }),
  tags_full: (world) =>
    world.tag("linux", Object.fromEntries(Array.from({ length: 44 }, (_, index) => [`cost-${index}`, "x"]))),
  tag_too_long: (world) => world.tag("linux", { note: "x".repeat(257) }),
  tag_characters: (world) => world.tag("linux", { "drover:host-selector/zone": "eu,us" }),
  pool_served_twice: (world) => world.addFleet({ name: "second", pools: ["pool_a"], slotsPerHost: 4, maxSize: 2 }),
  pool_supplied_twice: (world) => supply(world, "more-workers", "large"),
  several_primaries: (world) => {
    supply(world, "more-workers", "small");
    for (const group of ["workers", "more-workers"]) world.tag(group, { "drover:helmr-primary": "1" });
  },
  too_many_pools: (world) => {
    for (let index = 0; index < 64; index += 1) supply(world, `workers-${index}`, `pool-${index}`);
  },
  scaler_served_twice: (world) => void world.addScaler({ name: "aws-linux", template: "kici-too" }),
  instance_types: (world) => void world.addScaler({ name: "mixed", instanceTypes: ["m7i.large", "m7g.large"] }),

  // Safe to grow, safe to shrink.
  group_deleting: ({ cloud, clock }) => {
    cloud.setDesired("linux", 1);
    pass(cloud, clock, 300_000);
    cloud.deleteGroup("linux");
  },
  launch_suspended: ({ cloud }) => cloud.updateGroup("linux", { suspended: ["AZRebalance", "Launch"] }),
  not_protected: ({ cloud }) => cloud.updateGroup("linux", { newInstancesProtected: false }),
  terminate_suspended: ({ cloud }) => cloud.updateGroup("linux", { suspended: ["AZRebalance", "Terminate"] }),
  az_rebalance_active: ({ cloud }) => cloud.updateGroup("linux", { suspended: [] }),
  capacity_rebalance: ({ cloud }) => cloud.updateGroup("linux", { capacityRebalance: true }),
  instance_lifetime: ({ cloud }) => cloud.updateGroup("linux", { maxInstanceLifetime: 86_400 }),
  warm_pool_reuses: ({ cloud }) =>
    cloud.updateGroup("linux", { warmPool: { InstanceReusePolicy: { ReuseOnScaleIn: true } } }),
  refresh_active: ({ cloud }) =>
    cloud.updateGroup("linux", { refreshes: [{ InstanceRefreshId: "refresh-1", Status: "InProgress" }] }),
  scaling_policy: ({ cloud }) => cloud.updateGroup("linux", { policies: [{ PolicyName: "cpu", Enabled: true }] }),
  scheduled_action: ({ cloud }) =>
    cloud.updateGroup("linux", { scheduledActions: [{ ScheduledActionName: "night", DesiredCapacity: 0 }] }),
  instance_state: ({ cloud, clock }) => {
    cloud.setDesired("workers", 1);
    pass(cloud, clock, 300_000);
    cloud.setMemberState(cloud.group("workers")?.Instances?.[0]?.InstanceId ?? "", "Standby");
  },

  // What is launched, and where.
  no_headroom: ({ cloud }) => cloud.updateGroup("linux", { maxSize: 0 }),
  launch_failed: ({ cloud, clock }) => {
    cloud.setCapacity("*", "*", "none");
    cloud.setDesired("linux", 1);
    pass(cloud, clock, 60_000);
  },
  no_launch_template: ({ cloud }) => {
    const group = cloud.world.groups.get("linux");
    if (group !== undefined) delete (group as { template?: unknown }).template;
  },
  launch_template_missing: ({ cloud }) =>
    cloud.deleteLaunchTemplate(cloud.group("linux")?.LaunchTemplate?.LaunchTemplateId ?? ""),
  imdsv2_not_required: (world) => relaunch(world, { MetadataOptions: { HttpTokens: "optional" } }),
  hop_limit: (world) => relaunch(world, { MetadataOptions: { HttpTokens: "required", HttpPutResponseHopLimit: 2 } }),
  user_data_too_large: (world) => relaunch(world, { UserData: Buffer.alloc(16_385, "x").toString("base64") }),
  no_instance_profile: ({ cloud }) => {
    const MetadataOptions = { HttpTokens: "required", HttpPutResponseHopLimit: 1 } as const;
    const id = cloud.createLaunchTemplate({ name: "without-role", data: { MetadataOptions } });
    cloud.updateGroup("linux", { template: { id, version: "$Latest" } });
  },
  newer_version_not_launched: (world) => void world.cloud.addLaunchTemplateVersion(world.scaler, {}),
  subnet_missing: ({ cloud }) => cloud.updateGroup("linux", { subnets: ["subnet-0123456789abcdef0"] }),
  few_addresses: ({ cloud }) => {
    for (const { SubnetId } of subnetsOf(cloud)) cloud.setFreeAddresses(SubnetId, 1);
  },
  no_launch_hook: ({ cloud }) => cloud.updateGroup("linux", { hooks: [] }),
  hook_abandons: ({ cloud }) => cloud.updateGroup("linux", { hooks: [{ ...launchHook, defaultResult: "ABANDON" }] }),
  hook_too_short: ({ cloud }) => cloud.updateGroup("linux", { hooks: [{ ...launchHook, heartbeatTimeout: 600 }] }),

  // Secrets, roles, peers, account.
  secret_not_set: ({ cloud, deployed }) => {
    deployed.outputs["HelmrCapacityTokenArn"] = cloud.createEmptySecret("empty");
  },
  secret_placeholder: (world) => world.secret("ZoomiesWebhookSecretArn", "change-me"),
  secret_is_json: (world) => world.secret("ZoomiesWebhookSecretArn", '{"secret":"x"}'),
  secret_edges: (world) => world.secret("ZoomiesWebhookSecretArn", "signing secret\n"),
  secret_malformed: (world) => world.secret("KiciSecretArn", "whsec_short"),
  host_role_not_for_instances: ({ account }) => {
    account.trust = trusting({ Service: "ecs-tasks.amazonaws.com" });
  },
  host_role_trusts_others: ({ account }) => {
    account.trust = trusting({ Service: ["ec2.amazonaws.com"], AWS: "arn:aws:iam::123456789012:root" });
  },
  zoomies_unreachable: ({ zoomies }) => void zoomies.add({ kind: "unreachable", on: "*" }),
  zoomies_token_refused: (world) => world.secret("ZoomiesHostsTokenArn", "what-the-stack-generated"),
  zoomies_scope_missing: ({ access }) => {
    access["joins-token"] = { role: "viewer", scopes: ["joins:read"] };
  },
  pool_unknown: (world) => world.tag("linux", { "drover:zoomies-pool/pool_gone": "gone" }),
  helmr_unreachable: (world) => world.secret("HelmrCapacityTokenArn", Buffer.alloc(32, "old").toString("base64url")),
  helmr_schema_dirty: ({ helmr }) =>
    void helmr.add({
      kind: "odd",
      on: "deployment",
      change: (answer) => ({ ...(answer as object), schema_dirty: true }),
    }),
  helmr_revision: ({ deployed }) => {
    deployed.parameters["HelmrWorkerRevision"] = "another";
  },
  worker_group_unknown: (world) => world.tag("workers", { "drover:helmr-group": "elsewhere" }),
  worker_pool_unknown: (world) => world.tag("workers", { "drover:helmr-pool": "larger" }),
  clock_skew: (world) => {
    world.skewMs = -90_000;
  },
  low_concurrency: ({ account }) => {
    account.executions = { value: 10 };
  },
};

let world: DoctorWorld;
beforeEach(async () => {
  world = await startDoctorWorld();
});
afterEach(() => world.close());

test.each(Object.entries(worlds))("%s shows where it is so, with what, why and fix", async (code, provoke) => {
  provoke(world);
  const { report, exit } = await world.examine();
  const found = report.findings.find((each) => each.code === code);
  expect(found, JSON.stringify(report.findings, null, 2)).toBeDefined();
  for (const part of ["resource", "what", "why", "fix"] as const) expect(found?.[part]).toMatch(/\S{3}/);
  expect(exit).toBe(report.findings.some(({ severity }) => severity === "error") ? 1 : 0);
});

test("a role that everybody but some may take is no better than one that others may take", async () => {
  const NotPrincipal = { AWS: "arn:aws:iam::123456789012:user/somebody" };
  const Statement = [
    { Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" } },
    { Effect: "Allow", NotPrincipal },
  ];
  world.account.trust = { value: { Statement } };
  expect((await world.examine()).report.findings).toMatchObject([{ code: "host_role_trusts_others" }]);
});

test("every finding that the doctor can make has such a world", () => {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  const texts = (folder: string) =>
    readdirSync(root + folder).map((file) => readFileSync(`${root}${folder}/${file}`, "utf8"));
  const own = texts("infra/doctor/checks");
  const shared = texts("lib/capacity").filter((text) => text.includes('from "./finding.ts"'));
  // However a code gets into its finding: every quoted word of this form is one, unless it is known to be something else.
  const words = [...own, ...shared].flatMap((text) => [...text.matchAll(/["'`]([a-z0-9]+(?:_[a-z0-9]+)+)["'`]/g)]);
  const oneWord = own.flatMap((text) => [...text.matchAll(/code: ["'`]([a-z0-9]+)["'`]/g)]);
  const codes = new Set([...words, ...oneWord].flatMap(([, code = ""]) => (policyFields.has(code) ? [] : [code])));
  expect([...codes].sort()).toEqual(Object.keys(worlds).sort());
});

/** Fields of Helmr's resource policy, which tags name. */
const policyFields: ReadonlySet<string> = new Set(helmrPolicyFields);

function supply(world: DoctorWorld, name: string, pool: string): void {
  const tags = { "drover:stack": "drover", "drover:helmr-group": "default", "drover:helmr-pool": pool };
  world.cloud.createGroup(name, { maxSize: 1, newInstancesProtected: true, suspended: ["AZRebalance"], tags });
}

function pass(cloud: DoctorWorld["cloud"], clock: DoctorWorld["clock"], ms: number): void {
  clock.set(clock.now() + ms);
  cloud.settle();
}

/** A new version of the template that the group `linux` launches from. */
function relaunch({ cloud }: DoctorWorld, data: Parameters<typeof cloud.addLaunchTemplateVersion>[1]): void {
  const id = cloud.group("linux")?.LaunchTemplate?.LaunchTemplateId ?? "";
  cloud.addLaunchTemplateVersion(id, data);
}

const subnetsOf = ({ world }: DoctorWorld["cloud"]) => [...world.subnets.keys()].map((SubnetId) => ({ SubnetId }));

const trusting = (Principal: object) => ({
  value: { Statement: { Effect: "Allow", Principal, Action: "sts:AssumeRole" } },
});
