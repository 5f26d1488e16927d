import { type AutoScalingClient, DescribeAutoScalingInstancesCommand } from "@aws-sdk/client-auto-scaling";

/** Where an instance stands: its group and its life-cycle state, under AWS's own name. */
export interface Membership {
  readonly group: string;
  readonly state: string;
}

/** Which group an instance is in; undefined when it is in none. */
export interface Members {
  of(instance: string): Promise<Membership | undefined>;
}

export function autoScalingMembers(reads: AutoScalingClient): Members {
  return {
    async of(instance) {
      const answer = await reads.send(new DescribeAutoScalingInstancesCommand({ InstanceIds: [instance] }));
      const found = answer.AutoScalingInstances?.find(({ InstanceId }) => InstanceId === instance);
      const { AutoScalingGroupName: group, LifecycleState } = found ?? {};
      // This call spells states in capitals in some of AWS's own examples, and in words in others.
      return group === undefined ? undefined : { group, state: LifecycleState ?? "" };
    },
  };
}
