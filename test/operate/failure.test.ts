import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "../../infra/cli/failure.ts";
import { explain } from "../../infra/explain/command.ts";
import { startWorld, type TestWorld } from "../world.ts";
import { awsShell } from "./aws-shell.ts";
import { type } from "./command-line.ts";

const named = (name: string, message: string, more = {}) => Object.assign(new Error(message), { name, ...more });

test.each([
  [named("CredentialsProviderError", "Could not load credentials from any providers"), "log in (aws sso login)"],
  [named("ExpiredTokenException", "The security token is expired"), "have expired: log in again"],
  [named("UnrecognizedClientException", "no"), "check AWS_PROFILE, the keys, and this machine's clock"],
  [named("AccessDenied", "User x may not perform y"), "User x may not perform y. Use credentials that may do that"],
  [named("ResourceNotFoundException", "no table"), "no table. Is it in this account and region? Check AWS_REGION"],
  [new Error("Region is missing"), "set AWS_REGION"],
  [named("Error", "getaddrinfo ENOTFOUND x", { code: "ENOTFOUND", $metadata: {} }), "AWS did not answer"],
  [Object.assign(new AggregateError([]), { code: "ECONNREFUSED", $metadata: {} }), "AWS did not answer"],
  [new Error("Our own words.", { cause: named("AccessDeniedException", "x may not Query") }), "x may not Query. Use"],
])("of %s an operator is told what to fix", (error, sentence) => {
  expect(failureOf(error).message).toContain(sentence);
});

test("what AWS says of a wrong signature stays out: it may repeat the request with its session token", () => {
  const error = named("SignatureDoesNotMatch", "The canonical string should have been x-amz-security-token:FwoGZ");
  expect(JSON.stringify(failureOf(error))).not.toContain("FwoGZ");
});

test("EC2's encoded message stays out, and what it refused stays in", () => {
  const said = "You are not authorized to perform this operation. Encoded authorization failure message: 4GIOH";
  expect(failureOf(named("UnauthorizedOperation", said)).message).toMatch(
    /^You are not .* operation\. Use credentials/,
  );
});

test("an error of anybody else's is its own sentence, and nothing of what caused it", () => {
  const error = new Error("Zoomies could not be reached.", {
    cause: named("Error", "secret", { code: "ECONNREFUSED" }),
  });
  expect(failureOf(error)).toEqual({ code: "Error", message: "Zoomies could not be reached." });
  expect(failureOf("odd")).toEqual({ code: "Error", message: "odd" });
});

describe("a command whose call AWS refuses", () => {
  let world: TestWorld;
  beforeEach(async () => {
    world = await startWorld();
    awsShell({ AWS_ENDPOINT_URL_DYNAMODB: world.aws });
    world.faults.add({ kind: "error", on: "dynamodb:Query", code: "AccessDeniedException", message: "No Query for x" });
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await world.close();
  });

  test("says which and what to do, on stderr, with exit code 1", async () => {
    const said = await type(explain, `--fleet linux --table ${world.table}`, undefined);
    expect(said).toEqual({ exit: 1, out: "", error: expect.stringMatching(/^No Query for x\. Use credentials/) });
  });

  test("gives programs a document all the same", async () => {
    const { exit, out } = await type(explain, `--fleet linux --table ${world.table} --json`, undefined);
    expect(exit).toBe(1);
    expect(JSON.parse(out)).toEqual({
      error: "AccessDeniedException",
      message: expect.stringContaining("No Query for x"),
    });
  });
});
