import { expect, test } from "vitest";
import { isEnd, readNotice } from "../../lib/interruption/notice.ts";

const instance = "i-0123456789abcdef0";
const event = (type: string, detail: object = {}, more: object = {}) =>
  JSON.stringify({
    source: "aws.ec2",
    "detail-type": type,
    time: "2026-09-05T12:00:00Z",
    detail: { "instance-id": instance, ...detail },
    ...more,
  });
const state = "EC2 Instance State-change Notification";

test.each([
  ["EC2 Spot Instance Interruption Warning", {}, "spot-interruption", true],
  ["EC2 Instance Rebalance Recommendation", {}, "rebalance-recommendation", false],
  [state, { state: "stopping" }, "stopping", true],
  [state, { state: "shutting-down" }, "shutting-down", true],
  [state, { state: "terminated" }, "terminated", true],
] as const)("%s %o is read as exactly one kind, %s (cases.md 65)", (type, detail, kind, ends) => {
  const notice = readNotice(event(type, detail));
  expect(notice).toEqual({ instance, kind, at: Date.UTC(2026, 8, 5, 12) });
  expect(notice && isEnd(notice)).toBe(ends);
});

test.each([
  ["no JSON", "{"],
  ["no object", "7"],
  ["null", "null"],
  ["a state that is no end", event(state, { state: "running" })],
  ["a state that is no text", event(state, { state: ["stopping"] })],
  ["another type", event("EC2 Instance Launch Successful")],
  ["a type of every object", event("constructor")],
  ["another source", event(state, { state: "stopping" }, { source: "aws.autoscaling" })],
  ["no time", event(state, { state: "stopping" }, { time: undefined })],
  ["a time that is none", event(state, { state: "stopping" }, { time: "soon" })],
  ["no instance", event(state, { state: "stopping", "instance-id": undefined })],
  ["an instance id that is none", event(state, { state: "stopping", "instance-id": "i-../x" })],
  ["no detail", event(state, {}, { detail: null })],
])("a message with %s is no notice", (_, body) => {
  expect(readNotice(body)).toBeUndefined();
});
