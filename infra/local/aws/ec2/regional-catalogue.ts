/** A subnet of the region: its zone and how many addresses are still free. */
export interface SubnetEntry {
  readonly id: string;
  readonly vpcId: string;
  readonly zone: string;
  readonly cidr: string;
  freeAddresses: number;
  readonly tags: Map<string, string>;
}

export interface ImageEntry {
  readonly id: string;
  readonly name: string;
  readonly architecture: "x86_64" | "arm64";
  readonly createdAt: number;
  state: "available" | "deregistered";
}

export interface InstanceTypeEntry {
  readonly type: string;
  readonly vcpus: number;
  readonly memoryMiB: number;
  readonly architectures: readonly string[];
}

/** The types every world starts with: a few of AWS's published sizes, Intel and Graviton. */
export const commonInstanceTypes: readonly InstanceTypeEntry[] = [
  ...sizes("m7i", ["x86_64"], 4),
  ...sizes("c7i", ["x86_64"], 2),
  ...sizes("m7g", ["arm64"], 4),
  ...sizes("c7g", ["arm64"], 2),
  { type: "t3.micro", vcpus: 2, memoryMiB: 1024, architectures: ["x86_64"] },
  { type: "t4g.micro", vcpus: 2, memoryMiB: 1024, architectures: ["arm64"] },
];

function sizes(family: string, architectures: readonly string[], gibPerVcpu: number): InstanceTypeEntry[] {
  return [
    ["large", 2],
    ["xlarge", 4],
    ["2xlarge", 8],
    ["4xlarge", 16],
  ].map(([size, vcpus]) => ({
    type: `${family}.${size}`,
    vcpus: vcpus as number,
    memoryMiB: (vcpus as number) * gibPerVcpu * 1024,
    architectures,
  }));
}
