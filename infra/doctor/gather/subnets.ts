import { DescribeSubnetsCommand, type EC2Client } from "@aws-sdk/client-ec2";

/** The most values that one filter takes (EC2 user guide, "Filters"). */
const idsPerCall = 200;

/** Free addresses by subnet. By filter, not by id: one subnet that is gone would fail the whole call. */
export async function gatherFreeAddresses(
  client: EC2Client,
  subnets: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const wanted = [...new Set(subnets)];
  const free = new Map<string, number>();
  for (let start = 0; start < wanted.length; start += idsPerCall) {
    const Values = wanted.slice(start, start + idsPerCall);
    const { Subnets = [] } = await client.send(
      new DescribeSubnetsCommand({ Filters: [{ Name: "subnet-id", Values }] }),
    );
    for (const { SubnetId = "", AvailableIpAddressCount = 0 } of Subnets) free.set(SubnetId, AvailableIpAddressCount);
  }
  return free;
}
