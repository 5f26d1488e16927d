import type { ResponseLaunchTemplateData } from "@aws-sdk/client-ec2";
import type { LaunchTemplate } from "../ec2/launch-template.ts";
import type { Capacity, Market } from "../ec2/offerings.ts";
import type { ImageEntry, InstanceTypeEntry, SubnetEntry } from "../ec2/regional-catalogue.ts";
import type { World } from "../world.ts";

interface LaunchTemplateSpec {
  name: string;
  tags?: Record<string, string>;
  /** Only what differs from a small x86 instance of Amazon Linux. */
  data?: ResponseLaunchTemplateData;
}

/** What the region offers, and what an operator prepared in it. */
export interface RegionOperator {
  /** Creates version 1 and returns the template's id. */
  createLaunchTemplate(spec: LaunchTemplateSpec): string;
  /** Adds a version that differs from the latest in `data`; returns its number. The default version stays. */
  addLaunchTemplateVersion(id: string, data: ResponseLaunchTemplateData, options?: { makeDefault?: boolean }): number;
  tagLaunchTemplate(id: string, tags: Record<string, string>): void;
  deleteLaunchTemplate(id: string): void;
  addSubnet(subnet: Pick<SubnetEntry, "id" | "zone"> & Partial<Omit<SubnetEntry, "id" | "zone">>): void;
  setFreeAddresses(subnetId: string, free: number): void;
  addImage(image: Pick<ImageEntry, "id" | "architecture"> & Partial<ImageEntry>): void;
  addInstanceType(entry: InstanceTypeEntry): void;
  /** What is left of a type in a zone: a count, `none`, an error code to refuse with, or unlimited; `*` means every one. */
  setCapacity(type: string, zone: string, capacity: Capacity | undefined, market?: Market): void;
}

export function regionOperator(world: World, settle: () => void): RegionOperator {
  const templateOf = (id: string): LaunchTemplate => {
    const template = world.launchTemplates.get(id);
    if (template === undefined) throw new Error(`There is no launch template ${id}`);
    return template;
  };
  return {
    createLaunchTemplate({ name, tags = {}, data = {} }) {
      settle();
      const id = world.newId("lt");
      const [image] = world.images.keys();
      const first = { ImageId: image ?? "", InstanceType: "m7i.large" as const, ...structuredClone(data) };
      world.launchTemplates.set(id, {
        id,
        name,
        createdAt: world.now(),
        tags: new Map(Object.entries(tags)),
        versions: [{ number: 1, createdAt: world.now(), data: first }],
        defaultVersion: 1,
      });
      return id;
    },
    addLaunchTemplateVersion(id, data, { makeDefault = false } = {}) {
      settle();
      const template = templateOf(id);
      const latest = template.versions.at(-1);
      const number = (latest?.number ?? 0) + 1;
      const merged = { ...latest?.data, ...structuredClone(data) };
      template.versions.push({ number, createdAt: world.now(), data: merged });
      if (makeDefault) template.defaultVersion = number;
      return number;
    },
    tagLaunchTemplate(id, tags) {
      const template = templateOf(id);
      template.tags.clear();
      for (const [key, value] of Object.entries(tags)) template.tags.set(key, value);
    },
    deleteLaunchTemplate: (id) => void world.launchTemplates.delete(id),
    addSubnet({
      id,
      zone,
      vpcId = "vpc-00000000000000001",
      cidr = "10.9.0.0/24",
      freeAddresses = 251,
      tags = new Map(),
    }) {
      world.subnets.set(id, { id, zone, vpcId, cidr, freeAddresses, tags });
    },
    setFreeAddresses(subnetId, free) {
      settle();
      const subnet = world.subnets.get(subnetId);
      if (subnet === undefined) throw new Error(`There is no subnet ${subnetId}`);
      subnet.freeAddresses = free;
    },
    addImage({ id, architecture, name = id, createdAt = world.now(), state = "available" }) {
      world.images.set(id, { id, architecture, name, createdAt, state });
    },
    addInstanceType: (entry) => void world.instanceTypes.set(entry.type, entry),
    setCapacity(type, zone, capacity, market) {
      settle();
      world.offerings.set(type, zone, capacity, market);
    },
  };
}
