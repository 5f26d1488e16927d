import { AwsError } from "./aws-error.ts";

/** The services whose calls pass through here, by the name that signatures and policies use for them. */
export type ServiceName = "auto-scaling" | "ec2" | "secretsmanager" | "dynamodb";

/** Each service throttles with a code of its own; all of them are ones that the SDK knows as throttling. */
export function throttled(service: ServiceName): AwsError {
  switch (service) {
    case "auto-scaling":
      return new AwsError("Throttling", "Rate exceeded");
    case "ec2":
      return new AwsError("RequestLimitExceeded", "Request limit exceeded.", 503);
    case "secretsmanager":
      return new AwsError("ThrottlingException", "Rate exceeded");
    case "dynamodb":
      return new AwsError("ThrottlingException", "Throughput exceeds the current capacity of your table or index.");
  }
}

/** Whether an operation changes something; every service here names its reads alike. */
export function isMutating(operation: string): boolean {
  return !/^(?:Describe|Get|List|Query|Scan|BatchGet)/.test(operation);
}
