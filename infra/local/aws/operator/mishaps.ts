import type { Instance } from "@aws-sdk/client-ec2";
import { replaceAtRisk } from "../auto-scaling/balancing.ts";
import { findMember } from "../auto-scaling/member.ts";
import { wake } from "../auto-scaling/wake.ts";
import { type Ec2Instance, instanceShape } from "../ec2/instance.ts";
import { stateReasons, stopInstance, terminateInstance } from "../ec2/life-cycle.ts";
import type { World } from "../world.ts";

/** What befalls instances without Drover asking for it. */
export interface Mishaps {
  /** A Spot interruption: the notice now, the end after the notice period (seconds; AWS gives two minutes). */
  interruptSpot(instanceId: string, noticeSeconds?: number): void;
  /** EC2 warns that the instance may be taken back; a group with Capacity Rebalancing replaces it at once. */
  recommendRebalance(instanceId: string): void;
  /** Somebody terminates the instance in EC2, past its group. */
  terminateByHand(instanceId: string): void;
  stopByHand(instanceId: string): void;
  /** The group's health check judges the instance unhealthy though it runs. */
  failHealthCheck(instanceId: string): void;
  /** The operating system powers itself off; the shutdown behaviour decides between stop and terminate. */
  powerOff(instanceId: string): void;
  /** Turns EC2's termination protection on or off. */
  protectFromTermination(instanceId: string, isProtected: boolean): void;
  /** The instance as it truly is now, without any read lag. */
  instance(instanceId: string): Instance | undefined;
  /** Every instance that still shows, in order of launch. */
  allInstances(): Instance[];
}

export function mishaps(world: World, settle: () => void): Mishaps {
  const instanceOf = (id: string): Ec2Instance => {
    settle();
    const instance = world.instances.get(id);
    if (instance === undefined) throw new Error(`There is no instance ${id}`);
    return instance;
  };
  return {
    interruptSpot(id, noticeSeconds = 120) {
      const instance = instanceOf(id);
      world.emit({ type: "spot-interruption", instanceId: id, ...groupOf(instance) });
      world.at(world.now() + noticeSeconds * 1000, () => terminateInstance(world, instance, stateReasons.spot));
      settle();
    },
    recommendRebalance(id) {
      const instance = instanceOf(id);
      world.emit({ type: "rebalance-recommendation", instanceId: id, ...groupOf(instance) });
      const found = findMember(world, id);
      if (found !== undefined) replaceAtRisk(world, found.group, found.member);
    },
    terminateByHand: (id) => terminateInstance(world, instanceOf(id), stateReasons.user),
    stopByHand: (id) => stopInstance(world, instanceOf(id), stateReasons.user),
    failHealthCheck(id) {
      instanceOf(id);
      const found = findMember(world, id);
      if (found === undefined) throw new Error(`No group holds ${id}`);
      found.member.healthy = false;
      world.groupViews.changed(found.group.name);
      wake(world, found.group);
    },
    powerOff(id) {
      const instance = instanceOf(id);
      if (instance.shutdownBehavior === "terminate") terminateInstance(world, instance, stateReasons.inside);
      else stopInstance(world, instance, stateReasons.inside);
    },
    protectFromTermination(id, isProtected) {
      instanceOf(id).terminationProtected = isProtected;
    },
    instance(id) {
      settle();
      const instance = world.instances.get(id);
      return instance === undefined ? undefined : instanceShape(instance);
    },
    allInstances() {
      settle();
      return [...world.instances.values()].map(instanceShape);
    },
  };
}

function groupOf(instance: Ec2Instance): { group?: string } {
  return instance.group === undefined ? {} : { group: instance.group };
}
