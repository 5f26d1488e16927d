import { expect, test } from "vitest";
import { exactly } from "../../lib/capacity/filter-values.ts";
import { launchRefusal } from "../../lib/capacity/launch-error-codes.ts";

test.each([
  ["InsufficientInstanceCapacity", 500, "no-capacity"],
  ["Unsupported", 400, "no-capacity"],
  ["SpotMaxPriceTooLow", 400, "no-capacity"],
  ["InsufficientFreeAddressesInSubnet", 400, "no-addresses"],
  ["MaxSpotInstanceCountExceeded", 400, "spot-limit"],
  ["VcpuLimitExceeded", 400, "quota"],
  ["InstanceLimitExceeded", 400, "quota"],
  ["RequestLimitExceeded", 503, "throttled"],
  ["UnauthorizedOperation", 403, "denied"],
  ["IdempotentParameterMismatch", 400, "token-mismatch"],
  ["IdempotentInstanceTerminated", 400, "token-over"],
  ["InvalidParameterValue", 400, "invalid"],
  ["SomethingNew", 418, "invalid"],
  ["InternalError", 500, "unknown"],
  ["Unavailable", 503, "unknown"],
  ["SomethingNew", 500, "unknown"],
  ["TimeoutError", undefined, "unknown"],
  ["Error", undefined, "unknown"],
  ["RequestTimeout", 400, "unknown"],
] as const)("%s with status %s is %s", (code, status, kind) => {
  expect(launchRefusal(code, status)).toBe(kind);
});

test("a filter's value matches itself alone, wildcards and all", () => {
  expect(exactly("agent-1")).toBe("agent-1");
  expect(exactly("a*b?c\\d")).toBe("a\\*b\\?c\\\\d");
});
