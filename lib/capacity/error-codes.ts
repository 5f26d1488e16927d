/** What an AWS error means for what we do next; decided here, by code, and nowhere else (style: ports). */
export type ErrorKind =
  /** Too many calls: nothing happened, later may do. */
  | "throttled"
  /** The resource is busy with something else: nothing happened, later may do. */
  | "busy"
  /** The request does not fit the resource as it is now: nothing happened, look again. */
  | "changed"
  /** Permission or configuration: nothing happened, a person must act. */
  | "denied"
  /** No answer that tells: it may have happened. Look again (design: rule 5). */
  | "ambiguous";

const throttled = new Set([
  "Throttling",
  "ThrottlingException",
  "ThrottledException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "RequestThrottledException",
  "TooManyRequestsException",
  "EC2ThrottledException",
  "BandwidthLimitExceeded",
  "LimitExceededException",
  "ProvisionedThroughputExceededException",
]);
const busy = new Set([
  "ScalingActivityInProgress",
  "ScalingActivityInProgressFault",
  "ResourceContention",
  "ResourceContentionFault",
  "ResourceInUse",
  "ResourceInUseFault",
]);
const changed = new Set(["ValidationError", "ValidationException", "ResourceNotFoundException"]);
const denied = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "UnauthorizedOperation",
  "AuthFailure",
  "NotAuthorized",
  "OptInRequired",
  "InvalidClientTokenId",
  "UnrecognizedClientException",
  "ExpiredToken",
  "ExpiredTokenException",
  "SignatureDoesNotMatch",
  "MissingAuthenticationToken",
  "InvalidAction",
]);

export const errorCode = (error: unknown): string => (error instanceof Error ? error.name : "Unknown");

/** Kind of an error by its code. Whatever is not known to be harmless is ambiguous: timeouts, lost replies, 5xx. */
export function errorKind(code: string): ErrorKind {
  if (throttled.has(code)) return "throttled";
  if (busy.has(code)) return "busy";
  if (changed.has(code)) return "changed";
  if (denied.has(code)) return "denied";
  return "ambiguous";
}

/** Whether a person must act: AWS denied the call, in this error or in one that caused it. */
export function isDenied(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return errorKind(error.name) === "denied" || isDenied(error.cause);
}
