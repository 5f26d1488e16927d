import type { Operation, OperationTable } from "../operation.ts";
import { describeInstances } from "./describe-instances.ts";

export const ec2Operations: OperationTable = {
  DescribeInstances: describeInstances as Operation,
};
