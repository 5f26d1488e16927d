import { describe, expect, test } from "vitest";
import { errorCode, errorKind } from "../../lib/capacity/error-codes.ts";

describe("what an AWS error code means for what comes next", () => {
  test.each([
    // Too many calls; which of the names comes depends on the service (cases.md 16, 17).
    ["Throttling", "throttled"],
    ["ThrottlingException", "throttled"],
    ["RequestLimitExceeded", "throttled"],
    ["TooManyRequestsException", "throttled"],
    ["EC2ThrottledException", "throttled"],
    ["ProvisionedThroughputExceededException", "throttled"],
    // Auto Scaling works on the group: later (cases.md 58). On the wire without "Fault", in the SDK with it.
    ["ScalingActivityInProgress", "busy"],
    ["ScalingActivityInProgressFault", "busy"],
    ["ResourceContention", "busy"],
    ["ResourceContentionFault", "busy"],
    // The size is out of bounds by now, or the group is gone.
    ["ValidationError", "changed"],
    ["ResourceNotFoundException", "changed"],
    // A person must act (cases.md 21).
    ["AccessDenied", "denied"],
    ["AccessDeniedException", "denied"],
    ["UnauthorizedOperation", "denied"],
    ["UnrecognizedClientException", "denied"],
    ["InvalidClientTokenId", "denied"],
    ["ExpiredToken", "denied"],
    ["ExpiredTokenException", "denied"],
    ["SignatureDoesNotMatch", "denied"],
    // It may have happened: look again (design: rule 5).
    ["InternalFailure", "ambiguous"],
    ["InternalError", "ambiguous"],
    ["ServiceUnavailable", "ambiguous"],
    ["TimeoutError", "ambiguous"],
    ["ECONNRESET", "ambiguous"],
    ["Error", "ambiguous"],
    ["SomethingNew", "ambiguous"],
    ["", "ambiguous"],
    ["constructor", "ambiguous"],
  ])("%j: %s", (code, kind) => {
    expect(errorKind(code)).toBe(kind);
  });

  test("a dry offering is nothing that a person must change, nor a fault of the request (cases.md 15)", () => {
    expect(["denied", "changed"]).not.toContain(errorKind("InsufficientInstanceCapacity"));
  });
});

test("an error's code is the SDK's name for it; what is no error has none", () => {
  expect(errorCode(Object.assign(new Error("Rate exceeded"), { name: "Throttling" }))).toBe("Throttling");
  expect(errorKind(errorCode("a text"))).toBe("ambiguous");
  expect(errorKind(errorCode(undefined))).toBe("ambiguous");
});
