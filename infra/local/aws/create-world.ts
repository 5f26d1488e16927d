import { groupActs } from "./auto-scaling/balancing.ts";
import type { Group } from "./auto-scaling/group.ts";
import { groupShape } from "./auto-scaling/group-shape.ts";
import { instanceChanged } from "./auto-scaling/instance-changes.ts";
import type { CloudEvent } from "./cloud-events.ts";
import { type Ec2Instance, instanceShape } from "./ec2/instance.ts";
import { createOfferings } from "./ec2/offerings.ts";
import { commonInstanceTypes, type SubnetEntry } from "./ec2/regional-catalogue.ts";
import { hex, seededRandom, uuid } from "./random.ts";
import { createSchedule, type Schedule } from "./schedule.ts";
import type { SimClock } from "./sim-clock.ts";
import { defaultTimings, drawMs, type Timings } from "./timings.ts";
import { createViews, type DescribeLag } from "./views.ts";
import type { World } from "./world.ts";

export interface CloudOptions {
  clock: SimClock;
  region?: string;
  account?: string;
  /** Numbers in 0..1; by default a generator with a fixed seed, so that two worlds with equal clocks are equal. */
  random?: () => number;
  timings?: Partial<Timings>;
  /** How far behind Describe calls are; by default not at all. */
  describeLagMs?: DescribeLag;
}

/** The empty world with its region's subnets, images and types. */
export function createWorld(
  options: CloudOptions,
  lag: () => DescribeLag,
  tell: (event: CloudEvent) => void,
): { world: World; schedule: Schedule } {
  const schedule = createSchedule();
  const random = options.random ?? seededRandom(1);
  const timings = { ...defaultTimings, ...options.timings };
  const now = () => schedule.running ?? options.clock.now();
  const region = options.region ?? "eu-central-1";
  const groups = new Map<string, Group>();
  const instances = new Map<string, Ec2Instance>();
  let addresses = 0;
  const world: World = {
    region,
    account: options.account ?? "123456789012",
    timings,
    random,
    groups,
    instances,
    launchTemplates: new Map(),
    subnets: new Map(["a", "b", "c"].map((zone, index) => subnet(region, zone, index))),
    images: new Map(),
    instanceTypes: new Map(commonInstanceTypes.map((entry) => [entry.type, entry])),
    secrets: new Map(),
    offerings: createOfferings(),
    clientTokens: new Map(),
    groupViews: createViews({
      prefix: "group",
      now,
      lag,
      live: () => groups.keys(),
      render: (name) => map(groups.get(name), (group) => groupShape(world, group)),
    }),
    instanceViews: createViews({
      prefix: "instance",
      now,
      lag,
      live: () => instances.keys(),
      render: (id) => map(instances.get(id), instanceShape),
    }),
    now,
    after: (delay, run) => schedule.at(now() + drawMs(timings[delay], random), run),
    at: (time, run) => schedule.at(time, run),
    newId: (prefix) => `${prefix}-${hex(random, 17)}`,
    newUuid: () => uuid(random),
    emit: (event) => tell({ at: now(), ...event }),
    instanceChanged: (instance) => instanceChanged(world, instance),
    groupActs: (group) => groupActs(world, group),
    takeAddress: (id) => moveFree(world.subnets.get(id), -1),
    releaseAddress: (id) => moveFree(world.subnets.get(id), 1),
    newPrivateIp: () => {
      addresses += 1;
      return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
    },
  };
  world.images.set("ami-0123456789abcdef0", image("ami-0123456789abcdef0", "x86_64", now()));
  world.images.set("ami-0fedcba9876543210", image("ami-0fedcba9876543210", "arm64", now()));
  return { world, schedule };
}

function subnet(region: string, zone: string, index: number): [string, SubnetEntry] {
  const id = `subnet-${String(index + 1).padStart(17, "0")}`;
  const cidr = `10.${index}.0.0/16`;
  const zoneName = `${region}${zone}`;
  return [id, { id, vpcId: "vpc-00000000000000001", zone: zoneName, cidr, freeAddresses: 65_531, tags: new Map() }];
}

function image(id: string, architecture: "x86_64" | "arm64", createdAt: number) {
  return { id, name: `al2023-${architecture}`, architecture, createdAt, state: "available" as const };
}

function moveFree(entry: SubnetEntry | undefined, by: number): void {
  if (entry !== undefined) entry.freeAddresses += by;
}

function map<T, R>(value: T | undefined, render: (value: T) => R): R | undefined {
  return value === undefined ? undefined : render(value);
}
