import { runCommand } from "../../infra/cli/run-command.ts";
import type { Account } from "../../infra/doctor/account.ts";
import { doctor, examine } from "../../infra/doctor/command.ts";
import type { Deployed } from "../../infra/doctor/facts.ts";
import type { Known } from "../../infra/doctor/known.ts";
import type { Report } from "../../infra/doctor/report.ts";
import { type Cloud, createCloud } from "../../infra/local/aws/cloud.ts";
import { createFaults, type Faults } from "../../infra/local/aws/faults.ts";
import { startAwsServer } from "../../infra/local/aws/server.ts";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { groupOf, type ZoomiesFleet } from "../../infra/local/fleets.ts";
import { createHelmrFaults } from "../../infra/local/helmr/faults.ts";
import { ControlPlaneModel } from "../../infra/local/helmr/model/control-plane-model.ts";
import { startControlPlane } from "../../infra/local/helmr/server.ts";
import { launchHook } from "../../infra/local/launch-hook.ts";
import { type KiciScaler, templateOf } from "../../infra/local/scalers.ts";
import type { Access } from "../../infra/local/zoomies/api/access.ts";
import { apiFaults } from "../../infra/local/zoomies/api/faults.ts";
import { startApiServer } from "../../infra/local/zoomies/api/server.ts";
import { zoomiesController } from "../../infra/local/zoomies/controller.ts";

export const stack = "drover";
const account = "123456789012";
const scopes = {
  hosts: ["hosts:read", "hosts:cordon", "hosts:delete", "runners:read", "runners:drain", "pools:read"],
  joins: ["joins:read", "joins:write"],
};

/** An account whose stack, role and quota a test sets. */
class FakeAccount implements Account {
  deployed: Deployed | undefined;
  trust: Known<unknown> = {
    value: { Statement: [{ Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" }] },
  };
  executions: Known<number> = { value: 1_000 };
  stack = async () => this.deployed;
  region = async () => "eu-west-1";
  trustPolicy = async () => this.trust;
  concurrency = async () => this.executions;
}

/** Everything that the doctor looks at, healthy until a test changes it: all three integrations, one fleet of each. */
export interface DoctorWorld {
  readonly cloud: Cloud;
  readonly faults: Faults;
  readonly clock: ManualClock;
  readonly account: FakeAccount;
  readonly deployed: {
    name: string;
    status: string;
    parameters: Record<string, string>;
    outputs: Record<string, string>;
  };
  readonly zoomies: ReturnType<typeof apiFaults>;
  /** What each token of Zoomies may do. */
  readonly access: Record<string, Access>;
  readonly helmr: ReturnType<typeof createHelmrFaults>;
  /** The launch templates by the name of the group or scaler. */
  readonly scaler: string;
  /** How far this machine's clock is wrong, in milliseconds. */
  skewMs: number;
  addFleet(fleet: ZoomiesFleet): void;
  addScaler(scaler: KiciScaler): string;
  /** Changes tags of a group; undefined removes one. */
  tag(group: string, tags: Readonly<Record<string, string | undefined>>): void;
  secret(output: string, value: string): void;
  examine(): Promise<{ exit: number; report: Report; text: string }>;
  close(): Promise<void>;
}

export async function startDoctorWorld(): Promise<DoctorWorld> {
  const clock = new ManualClock(Date.now());
  const cloud = createCloud({ region: "eu-west-1", account, clock });
  const faults = createFaults();
  const aws = await startAwsServer({ cloud, faults });
  const access: Record<string, Access> = {
    "hosts-token": { role: "admin", scopes: scopes.hosts },
    "joins-token": { role: "admin", scopes: scopes.joins },
  };
  const zoomies = apiFaults();
  const controller = zoomiesController(
    { destinationUrl: "http://127.0.0.1:9/", signingSecret: "x", apiTokens: access },
    {
      clock,
      random: Math.random,
      post: async () => ({ status: 204, headers: {}, body: "" }),
      wait: async () => undefined,
    },
  );
  controller.addPool({ id: "pool_a", selector: {} });
  const api = await startApiServer(controller.api, zoomies);
  const token = Buffer.alloc(32, "doctor").toString("base64url");
  const model = new ControlPlaneModel({ clock: { now: () => Date.now() }, random: Math.random, token });
  const helmr = createHelmrFaults();
  const controlPlane = await startControlPlane({ model, faults: helmr });
  model.addPool(model.addGroup("default", "default").id, "large");

  const addFleet = (fleet: ZoomiesFleet) => cloud.createGroup(fleet.name, groupOf(fleet, stack));
  const addScaler = (scaler: KiciScaler) => cloud.createLaunchTemplate(templateOf(scaler, stack));
  addFleet({
    name: "linux",
    pools: ["pool_a"],
    slotsPerHost: 4,
    maxSize: 6,
    tags: { "drover:scale-in": "verified" },
    group: { hooks: [launchHook] },
  });
  const worker = { "drover:helmr-group": "default", "drover:helmr-pool": "large", "drover:scale-in": "verified" };
  cloud.createGroup("workers", {
    minSize: 0,
    maxSize: 4,
    newInstancesProtected: true,
    suspended: ["AZRebalance"],
    tags: { "drover:stack": stack, ...worker },
  });
  const scaler = addScaler({ name: "aws-linux" });

  const values = {
    ZoomiesWebhookSecretArn: "signing secret",
    ZoomiesHostsTokenArn: "hosts-token",
    ZoomiesJoinsTokenArn: "joins-token",
    KiciSecretArn: `whsec_${Buffer.alloc(32, "kici").toString("base64")}`,
    HelmrCapacityTokenArn: token,
  };
  const deployed: DoctorWorld["deployed"] = {
    name: stack,
    status: "UPDATE_COMPLETE",
    parameters: {
      Mode: "act",
      Zoomies: "on",
      Kici: "on",
      Alarms: "on",
      ZoomiesApiUrl: api.url,
      ZoomiesHostRoleArn: `arn:aws:iam::${account}:role/hosts`,
      JoinDeadlineMinutes: "10",
      HelmrControlPlaneUrl: controlPlane.url,
      HelmrRegionId: "default",
      HelmrWorkerRevision: "",
      KiciInstanceRoleArn: "",
      TableDeletionProtection: "true",
    },
    outputs: {
      ...Object.fromEntries(Object.entries(values).map(([output, value]) => [output, cloud.putSecret(output, value)])),
      ZoomiesWebhookUrl: "https://api.example.com/zoomies/capacity",
      ZoomiesJoinUrl: "https://api.example.com/zoomies/join",
      ZoomiesJoinArn: "arn:aws:execute-api:eu-west-1:123456789012:api/$default/POST/zoomies/join",
      KiciScaleUpUrl: "https://api.example.com/kici/scale-up",
      KiciScaleDownUrl: "https://api.example.com/kici/scale-down",
    },
  };
  const fake = new FakeAccount();
  fake.deployed = deployed;

  const world: DoctorWorld = {
    cloud,
    faults,
    clock,
    account: fake,
    deployed,
    zoomies,
    access,
    helmr,
    scaler,
    skewMs: 0,
    addFleet,
    addScaler,
    tag(group, tags) {
      const known = (cloud.group(group)?.Tags ?? []).map(({ Key = "", Value = "" }): [string, string] => [Key, Value]);
      const all = Object.entries({ ...Object.fromEntries(known), ...tags });
      cloud.updateGroup(group, {
        tags: Object.fromEntries(all.filter((each): each is [string, string] => each[1] !== undefined)),
      });
    },
    secret: (output, value) => void cloud.putSecret(output, value),
    async examine() {
      const target = { account: fake, name: stack, endpoint: aws.url };
      const said: string[] = [];
      const print = (line: string) => void said.push(line);
      const outcome = examine(target, () => Date.now() + world.skewMs);
      const command = { ...doctor, perform: () => outcome };
      const parts = { variables: {}, world: () => undefined, print, printError: print };
      const exit = await runCommand(command, ["--json"], parts);
      const json = said.splice(0).join("\n");
      await runCommand(command, [], parts);
      return { exit, report: JSON.parse(json) as Report, text: said.join("\n") };
    },
    async close() {
      await controlPlane.close();
      await api.close();
      await aws.close();
    },
  };
  return world;
}
