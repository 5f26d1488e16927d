import type { AutoScalingGroup } from "@aws-sdk/client-auto-scaling";
import type { Instance } from "@aws-sdk/client-ec2";
import type { Group } from "./auto-scaling/group.ts";
import type { UntimedEvent } from "./cloud-events.ts";
import type { ClientTokens } from "./ec2/client-tokens.ts";
import type { Ec2Instance } from "./ec2/instance.ts";
import type { LaunchTemplate } from "./ec2/launch-template.ts";
import type { Offerings } from "./ec2/offerings.ts";
import type { ImageEntry, InstanceTypeEntry, SubnetEntry } from "./ec2/regional-catalogue.ts";
import type { Secret } from "./secrets/secret.ts";
import type { Timings } from "./timings.ts";
import type { Views } from "./views.ts";

/** Everything there is in one simulated account and region, and the few ways by which its parts act on one another. */
export interface World {
  readonly region: string;
  readonly account: string;
  readonly timings: Timings;
  readonly random: () => number;
  readonly groups: Map<string, Group>;
  readonly instances: Map<string, Ec2Instance>;
  readonly launchTemplates: Map<string, LaunchTemplate>;
  readonly subnets: Map<string, SubnetEntry>;
  readonly images: Map<string, ImageEntry>;
  readonly instanceTypes: Map<string, InstanceTypeEntry>;
  readonly secrets: Map<string, Secret>;
  readonly offerings: Offerings;
  readonly clientTokens: ClientTokens;
  readonly groupViews: Views<AutoScalingGroup>;
  readonly instanceViews: Views<Instance>;
  /** The present: the instant of the transition that runs, else the clock's. */
  now(): number;
  /** Plans a transition after one of the world's delays. */
  after(delay: keyof Timings, run: () => void): void;
  /** Plans a transition at an instant, in epoch milliseconds. */
  at(time: number, run: () => void): void;
  /** A new identifier such as `i-` and 17 hex digits. */
  newId(prefix: string): string;
  newUuid(): string;
  emit(event: UntimedEvent): void;
  /** Tells the instance's group, if it has one, that the instance changed its state. */
  instanceChanged(instance: Ec2Instance): void;
  /** The group compares what it has with what it wants, and acts. */
  groupActs(group: Group): void;
  /** Takes one of a subnet's free addresses. */
  takeAddress(subnetId: string): void;
  releaseAddress(subnetId: string): void;
  /** A private address that no other instance of this world ever had. */
  newPrivateIp(): string;
  /** A private address that no other instance of this world ever had. */
  newPrivateIp(): string;
}
