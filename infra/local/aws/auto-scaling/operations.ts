import type { Operation, OperationTable } from "../operation.ts";
import { describeAutoScalingGroups } from "./describe-groups.ts";
import { setDesiredCapacity } from "./set-desired-capacity.ts";

export const autoScalingOperations: OperationTable = {
  DescribeAutoScalingGroups: describeAutoScalingGroups as Operation,
  SetDesiredCapacity: setDesiredCapacity as Operation,
};
