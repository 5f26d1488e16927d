import { expect, test } from "vitest";
import { actionsOf, resourcesWith, roleOf, statementsOf } from "../build/policies.ts";
import { disagreements } from "./disagreements.ts";

const resources = resourcesWith();

/** Each function calling exactly what it may. */
function inAgreement(): Map<string, Set<string>> {
  const functions = resources.all.filter(({ type }) => type === "AWS::Serverless::Function");
  return new Map(
    functions.map(({ id }) => [id, new Set(statementsOf(roleOf(id, resources), resources).flatMap(actionsOf))]),
  );
}

test("functions that call exactly what their roles allow give no line", () => {
  expect(disagreements(inAgreement(), resources)).toEqual([]);
});

test("a call that is not allowed is told, with its function", () => {
  const calls = inAgreement();
  calls.get("ZoomiesWebhook")?.add("autoscaling:DeleteAutoScalingGroup");
  expect(disagreements(calls, resources)).toEqual([
    "ZoomiesWebhook calls autoscaling:DeleteAutoScalingGroup, which its role does not allow.",
  ]);
});

test("a permission that no call needs is told, and what AWS asks for on a function's behalf is not", () => {
  const calls = inAgreement();
  for (const action of ["ec2:TerminateInstances", "ec2:CreateTags", "iam:PassRole", "logs:PutLogEvents"]) {
    calls.get("KiciScaleUp")?.delete(action);
  }
  expect(disagreements(calls, resources)).toEqual([
    "KiciScaleUp is allowed ec2:TerminateInstances, and no test has seen it call that.",
  ]);
});
