import { autoScalingOperations } from "./auto-scaling/operations.ts";
import { ec2Operations } from "./ec2/operations.ts";
import type { Operation, OperationTable, Service } from "./operation.ts";
import { describeSecret, getSecretValue, putSecretValue } from "./secrets/operations.ts";

/** Every operation the simulator serves; what is not here is answered as AWS answers an action it does not know. */
export const operations: Readonly<Record<Service, OperationTable>> = {
  "auto-scaling": autoScalingOperations,
  ec2: ec2Operations,
  secretsmanager: {
    DescribeSecret: describeSecret as Operation,
    GetSecretValue: getSecretValue as Operation,
    PutSecretValue: putSecretValue as Operation,
  },
};
