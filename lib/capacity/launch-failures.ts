import { type AutoScalingClient, DescribeScalingActivitiesCommand } from "@aws-sdk/client-auto-scaling";

/** Whether a group's launches fail, as its scaling activities tell. */
export interface LaunchFailures {
  /** What AWS says of the group's newest launch, if that one failed; undefined when it did not, or when there is none. */
  newest(group: string): Promise<string | undefined>;
}

/** The newest of a group's activities; an older launch tells nothing about the next. */
const looked = 10;
const failed = new Set(["Failed", "Cancelled"]);
const longestMessage = 200;

/** Through the AWS SDK. Launches are told from terminations by their description alone (API reference, Activity). */
export function autoScalingLaunchFailures(reads: AutoScalingClient): LaunchFailures {
  return {
    async newest(group) {
      const input = { AutoScalingGroupName: group, MaxRecords: looked };
      const { Activities = [] } = await reads.send(new DescribeScalingActivitiesCommand(input));
      const launch = Activities.find(({ Description }) => Description?.startsWith("Launching"));
      if (launch === undefined || !failed.has(launch.StatusCode ?? "")) return undefined;
      return (launch.StatusMessage ?? "The launch failed.").slice(0, longestMessage);
    },
  };
}
