import type { Operation, OperationTable } from "../operation.ts";
import { describeAutoScalingGroups } from "./describe-groups.ts";
import {
  describeAutoScalingInstances,
  describeInstanceRefreshes,
  describePolicies,
  describeScalingActivities,
  describeScheduledActions,
  describeWarmPool,
} from "./describe-surroundings.ts";
import {
  completeLifecycleAction,
  describeLifecycleHooks,
  recordLifecycleActionHeartbeat,
} from "./lifecycle-actions.ts";
import { setDesiredCapacity } from "./set-desired-capacity.ts";
import { terminateInstanceInAutoScalingGroup } from "./terminate-instance.ts";

export const autoScalingOperations: OperationTable = {
  CompleteLifecycleAction: completeLifecycleAction as Operation,
  DescribeAutoScalingGroups: describeAutoScalingGroups as Operation,
  DescribeAutoScalingInstances: describeAutoScalingInstances as Operation,
  DescribeInstanceRefreshes: describeInstanceRefreshes as Operation,
  DescribeLifecycleHooks: describeLifecycleHooks as Operation,
  DescribePolicies: describePolicies as Operation,
  DescribeScalingActivities: describeScalingActivities as Operation,
  DescribeScheduledActions: describeScheduledActions as Operation,
  DescribeWarmPool: describeWarmPool as Operation,
  RecordLifecycleActionHeartbeat: recordLifecycleActionHeartbeat as Operation,
  SetDesiredCapacity: setDesiredCapacity as Operation,
  TerminateInstanceInAutoScalingGroup: terminateInstanceInAutoScalingGroup as Operation,
};
