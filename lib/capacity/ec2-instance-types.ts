import { DescribeInstanceTypesCommand, type EC2Client, type InstanceTypeInfo } from "@aws-sdk/client-ec2";
import type { InstanceType, InstanceTypes } from "./instance-types.ts";

/** The API's own largest page, in types, and well within the 200 values that a filter takes. */
const typesPerCall = 100;

/** Instance types through the AWS SDK. What was seen once is kept for this environment's life; an unknown name is asked for again. */
export function ec2InstanceTypes(reads: EC2Client): InstanceTypes {
  const seen = new Map<string, InstanceType>();
  /** By filter, not by name: one type that this region does not have would fail the whole call. */
  async function look(names: string[]): Promise<void> {
    const input = { Filters: [{ Name: "instance-type", Values: names }], MaxResults: typesPerCall };
    let next: string | undefined;
    do {
      const page = await reads.send(
        new DescribeInstanceTypesCommand(next === undefined ? input : { ...input, NextToken: next }),
      );
      for (const type of (page.InstanceTypes ?? []).map(toInstanceType)) seen.set(type.name, type);
      next = page.NextToken;
    } while (next !== undefined && next !== "");
  }

  return {
    async named(names) {
      const wanted = [...new Set(names)].filter((name) => !seen.has(name));
      for (let start = 0; start < wanted.length; start += typesPerCall) {
        await look(wanted.slice(start, start + typesPerCall));
      }
      return new Map(names.map((name) => [name, seen.get(name)] as const).filter(isKnown));
    },
  };
}

const isKnown = (entry: readonly [string, InstanceType | undefined]): entry is readonly [string, InstanceType] =>
  entry[1] !== undefined;

function toInstanceType(type: InstanceTypeInfo): InstanceType {
  const architectures: readonly string[] = type.ProcessorInfo?.SupportedArchitectures ?? [];
  return {
    name: type.InstanceType ?? "",
    vcpus: type.VCpuInfo?.DefaultVCpus ?? 0,
    memoryBytes: (type.MemoryInfo?.SizeInMiB ?? 0) * 1024 ** 2,
    architecture: architectures.includes("arm64") ? "arm64" : architectures.includes("x86_64") ? "x86_64" : undefined,
  };
}
