import type { Operation, OperationTable } from "../operation.ts";
import { describeInstanceAttribute } from "./describe-instance-attribute.ts";
import { describeInstances } from "./describe-instances.ts";
import { describeImages, describeInstanceTypes, describeSubnets } from "./describe-region.ts";
import { describeLaunchTemplates, describeLaunchTemplateVersions } from "./describe-templates.ts";
import { runInstances } from "./run-instances.ts";
import { terminateInstances } from "./terminate-instances.ts";

export const ec2Operations: OperationTable = {
  DescribeImages: describeImages as Operation,
  DescribeInstanceAttribute: describeInstanceAttribute as Operation,
  DescribeInstances: describeInstances as Operation,
  DescribeInstanceTypes: describeInstanceTypes as Operation,
  DescribeLaunchTemplates: describeLaunchTemplates as Operation,
  DescribeLaunchTemplateVersions: describeLaunchTemplateVersions as Operation,
  DescribeSubnets: describeSubnets as Operation,
  RunInstances: runInstances as Operation,
  TerminateInstances: terminateInstances as Operation,
};
