import { errorKind } from "./error-codes.ts";

/** Why EC2 did not launch; each asks for another next step (cases.md 15, 32). */
export type LaunchRefusal =
  /** No room for this type in this zone now: another offering may have some. */
  | "no-capacity"
  /** The subnet has no free address: every type fails there, and other subnets may do. */
  | "no-addresses"
  /** The account's Spot limit: another offering of the same template asks for Spot too. */
  | "spot-limit"
  /** An account's quota for a family of types: other subnets do not help, another type may. */
  | "quota"
  /** Too many calls: nothing wrong with the offering. */
  | "throttled"
  /** The token was used for another request: an instance of it may exist. */
  | "token-mismatch"
  /** The token's instance lived and is over. */
  | "token-over"
  /** Permission. A person must act. */
  | "denied"
  /** Anything else that EC2 refuses about the request. A person must act. */
  | "invalid";

const refusals: ReadonlyMap<string, LaunchRefusal> = new Map([
  ["InsufficientInstanceCapacity", "no-capacity"],
  ["InsufficientCapacity", "no-capacity"],
  ["InsufficientHostCapacity", "no-capacity"],
  ["InsufficientReservedInstanceCapacity", "no-capacity"],
  ["ReservationCapacityExceeded", "no-capacity"],
  ["UnfulfillableCapacity", "no-capacity"],
  ["SpotMaxPriceTooLow", "no-capacity"],
  // The type does not exist in this zone, however well it exists in others.
  ["Unsupported", "no-capacity"],
  ["InsufficientFreeAddressesInSubnet", "no-addresses"],
  ["PrivateIpAddressLimitExceeded", "no-addresses"],
  ["MaxSpotInstanceCountExceeded", "spot-limit"],
  ["VcpuLimitExceeded", "quota"],
  ["InstanceLimitExceeded", "quota"],
  ["VolumeLimitExceeded", "quota"],
  ["MaxIOPSLimitExceeded", "quota"],
  ["NetworkInterfaceLimitExceeded", "quota"],
  ["PendingVerification", "quota"],
  ["IdempotentParameterMismatch", "token-mismatch"],
  ["IdempotentInstanceTerminated", "token-over"],
]);

/** A 4xx that says nothing about whether the call had its effect. */
const tellNothing = new Set(["RequestTimeout", "RequestTimeoutException"]);

/**
 * What a failed RunInstances means, by its code; `status` is the HTTP status of the answer, undefined where there was
 * none. Codes come first, because missing capacity arrives as HTTP 500. A 5xx or no answer is `unknown`: the instance may exist.
 */
export function launchRefusal(code: string, status: number | undefined): LaunchRefusal | "unknown" {
  const known = refusals.get(code);
  if (known !== undefined) return known;
  const kind = errorKind(code);
  if (kind === "throttled" || kind === "denied") return kind;
  if (status === undefined || status >= 500 || tellNothing.has(code)) return "unknown";
  return "invalid";
}
