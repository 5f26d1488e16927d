import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ledgerItems } from "../functions/ledger-items.ts";
import { agent, type KiciReply, type KiciWorld, type Payload, scaler, startKici } from "./kici-world.ts";

const armImage = "ami-0fedcba9876543210";

let world: KiciWorld;
beforeAll(async () => {
  world = await startKici([
    { name: scaler },
    { name: "arm-only", instanceTypes: ["m7g.large"], data: { ImageId: armImage } },
    { name: "twice", template: "first" },
    { name: "twice", template: "second" },
    { name: "paused", tags: { "drover:paused": "1" } },
    { name: "unpinned", agentImage: "quay.io/kici-dev/kici-agent:latest" },
    { name: "shell-image", agentImage: "quay.io/kici-dev/kici-agent:1 /bin/sh" },
    { name: "no-cap", tags: { "drover:max-instances": "" } },
    { name: "mixed", instanceTypes: ["m7i.large", "m7g.large"] },
    { name: "unknown-type", instanceTypes: ["m7i.large", "z99.huge"] },
    { name: "interfaces", data: { NetworkInterfaces: [{ DeviceIndex: 0 }] } },
    {
      name: "persistent",
      data: { InstanceMarketOptions: { MarketType: "spot", SpotOptions: { SpotInstanceType: "persistent" } } },
    },
  ]);
});
afterAll(() => world.close());

const ofTheTrail = (pk: string) => /^(?:trail|said)#|^trail-fleets$/.test(pk);
const withoutTrail = async () => (await ledgerItems(world)).filter(({ pk }) => !ofTheTrail(pk));

/** Nothing was launched, ended or written but the trail's line of why not. */
async function changesNothing(ask: () => Promise<KiciReply>): Promise<KiciReply> {
  const before = await withoutTrail();
  world.faults.reset();
  const reply = await ask();
  const others = world.faults.mutations().filter(({ input }) => {
    const { pk } = (input as { Item?: { pk?: { S?: string } } }).Item ?? {};
    return !ofTheTrail(pk?.S ?? "");
  });
  expect(others).toEqual([]);
  expect(await withoutTrail()).toEqual(before);
  expect(Object.keys(reply.answer).sort()).toEqual(["code", "message"]);
  return reply;
}

const without = (payload: Payload, field: string): Payload =>
  Object.fromEntries(Object.entries(payload).filter(([name]) => name !== field));

describe("a scale-up is refused as malformed, with the field's name", () => {
  const required = ["scalerName", "agentId", "labels", "orchestratorUrl", "claimCode", "requestId"];
  test.each(required)("without %s", async (field) => {
    const { status, answer } = await changesNothing(() => world.up(without(world.scaleUp(), field)));
    expect(status).toBe(400);
    expect(answer.message).toContain(field);
  });

  test.each<[string, Payload, string]>([
    ["an empty scalerName", { scalerName: "" }, "scalerName"],
    ["a number for agentId", { agentId: 7 }, "agentId"],
    ["labels as one string", { labels: "default" }, "labels"],
    ["a label that is a number", { labels: ["default", 7] }, "labels"],
    ["mandatoryLabels that are none", { mandatoryLabels: { a: 1 } }, "mandatoryLabels"],
    ["resources that are a list", { resources: [] }, "resources"],
    ["cpus in words", { resources: { cpus: "two" } }, "resources.cpus"],
    ["negative memory", { resources: { memBytes: -1 } }, "resources.memBytes"],
    ["a URL that is none", { orchestratorUrl: "ci.example.com" }, "orchestratorUrl"],
    ["a URL with a space in it", { orchestratorUrl: "wss://ci.example.com/ ws" }, "orchestratorUrl"],
    ["a URL of another kind", { orchestratorUrl: "file:///etc/passwd" }, "orchestratorUrl"],
    ["half of a character", { agentId: "agent-\ud800" }, "agentId"],
    ["jobId as a number", { jobId: 7 }, "jobId"],
  ])("with %s", async (_, change, field) => {
    const { status, answer } = await changesNothing(() => world.up(world.scaleUp(change)));
    expect([status, answer.code]).toEqual([400, "malformed_event"]);
    expect(answer.message).toContain(field);
  });

  test.each<[string, string]>([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["nothing", ""],
    ["the same key twice", '{"agentId":"a","agentId":"b"}'],
  ])("when the body is %s", async (_, body) => {
    for (const route of ["scale-up", "scale-down"] as const) {
      const { status, answer } = await changesNothing(() => world.forward(route, body));
      expect([status, answer.code]).toEqual([400, "malformed_event"]);
    }
  });

  test("when it is the other event", async () => {
    const down = JSON.stringify(world.scaleDown());
    expect(await changesNothing(() => world.forward("scale-up", down))).toMatchObject({ status: 400 });
    const up = JSON.stringify(world.scaleUp());
    expect(await changesNothing(() => world.forward("scale-down", up))).toMatchObject({ status: 400 });
  });
});

describe("a scale-up that could not work is refused", () => {
  test.each<[string, Payload, string]>([
    ["a loopback orchestrator", { orchestratorUrl: "ws://127.0.0.1:4000/ws" }, "orchestrator_unreachable"],
    ["localhost", { orchestratorUrl: "ws://localhost:4000/ws" }, "orchestrator_unreachable"],
    ["localhost with a dot", { orchestratorUrl: "ws://LOCALHOST.:4000/ws" }, "orchestrator_unreachable"],
    ["loopback in hex", { orchestratorUrl: "ws://0x7f000001/ws" }, "orchestrator_unreachable"],
    ["loopback as one number", { orchestratorUrl: "ws://2130706433/ws" }, "orchestrator_unreachable"],
    ["0.0.0.0", { orchestratorUrl: "wss://0.0.0.0/ws" }, "orchestrator_unreachable"],
    ["IPv6 loopback", { orchestratorUrl: "wss://[::1]/ws" }, "orchestrator_unreachable"],
    ["IPv4 loopback in IPv6", { orchestratorUrl: "wss://[::ffff:127.0.0.1]/ws" }, "orchestrator_unreachable"],
    ["a link-local address", { orchestratorUrl: "http://169.254.169.254/latest" }, "orchestrator_unreachable"],
    ["an IPv6 link-local address", { orchestratorUrl: "wss://[fe80::1]/ws" }, "orchestrator_unreachable"],
    ["a line break in the claim code", { claimCode: "a\nKICI_AGENT_TOKEN=x" }, "control_character"],
    ["a carriage return in a label", { labels: ["default", "a\rb"] }, "control_character"],
    ["a NUL in the agent's id", { agentId: "a\u0000b" }, "control_character"],
    ["a Unicode line separator", { agentId: "a\u2028b" }, "control_character"],
    ["a line break in the request's id", { requestId: "a\nb" }, "control_character"],
    ["a line break in a mandatory label", { mandatoryLabels: ["a\nb"] }, "control_character"],
    ["a comma in a label", { labels: ["default,admin"] }, "comma_in_label"],
    ["an empty label", { labels: ["default", ""] }, "empty_label"],
    ["no labels", { labels: [] }, "no_labels"],
    ["an agent's id over 256", { agentId: "a".repeat(257) }, "value_too_long"],
    ["user data over 16 KiB", { labels: ["x".repeat(12_000)] }, "user_data_too_large"],
    ["an arm64 label and no such template", { labels: ["default", "ARM64"] }, "no_template_for_architecture"],
    ["an amd64 label and only arm64", { scalerName: "arm-only", labels: ["amd64"] }, "no_template_for_architecture"],
    ["both architectures", { labels: ["arm64", "x64"] }, "two_architectures"],
    ["more memory than any type has", { resources: { memBytes: 1e15 } }, "no_type_large_enough"],
    ["a scaler with two templates", { scalerName: "twice" }, "scaler_served_twice"],
    ["a paused template", { scalerName: "paused" }, "scaler_paused"],
    ["an image that is not pinned", { scalerName: "unpinned" }, "bad_tags"],
    ["an image that is a command", { scalerName: "shell-image" }, "bad_tags"],
    ["no cap", { scalerName: "no-cap" }, "bad_tags"],
    ["types of two architectures", { scalerName: "mixed" }, "bad_tags"],
    ["a type that does not exist", { scalerName: "unknown-type" }, "bad_tags"],
    ["a template with interfaces", { scalerName: "interfaces" }, "bad_template"],
    ["persistent Spot capacity", { scalerName: "persistent" }, "bad_template"],
  ])("for %s", async (_, change, code) => {
    const { status, answer } = await changesNothing(() => world.up(world.scaleUp(change)));
    expect([status, answer.code]).toEqual([422, code]);
  });

  test("for a scaler that no template serves", async () => {
    const { status, answer } = await changesNothing(() => world.up(world.scaleUp({ scalerName: "aws-*" })));
    expect([status, answer.code]).toEqual([404, "scaler_not_served"]);
  });
});

describe("a scale-down is refused", () => {
  test.each(["scalerName", "agentId", "reason", "requestId"])("without %s", async (field) => {
    const { status, answer } = await changesNothing(() => world.down(without(world.scaleDown(), field)));
    expect(status).toBe(400);
    expect(answer.message).toContain(field);
  });

  test("with a control character or a value that no tag can have", async () => {
    for (const change of [{ agentId: "a\nb" }, { scalerName: "s".repeat(257) }]) {
      expect(await changesNothing(() => world.down(world.scaleDown(change)))).toMatchObject({ status: 422 });
    }
  });
});

describe.each(["scale-up", "scale-down"] as const)("a %s is not believed", (route) => {
  const body = () => JSON.stringify(route === "scale-up" ? world.scaleUp() : world.scaleDown());
  const otherSecret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

  test.each<[string, (bytes: string) => Record<string, string>]>([
    ["signed with another secret", (bytes) => world.signed(bytes, otherSecret)],
    ["signed for another body", (bytes) => world.signed(`${bytes} `)],
    ["signed six minutes ago", (bytes) => world.signed(bytes, undefined, world.clock.now() - 301_000)],
    ["signed in the future", (bytes) => world.signed(bytes, undefined, world.clock.now() + 301_000)],
    ["with another message's id", () => ({ "webhook-id": "msg_other" })],
    ["with another moment", () => ({ "webhook-timestamp": String(Math.floor(world.clock.now() / 1000) + 1) })],
    ["with a timestamp that is no number", () => ({ "webhook-timestamp": "NaN" })],
    ["with an empty signature", () => ({ "webhook-signature": "" })],
    [
      "with a signature of another version",
      (bytes) => {
        const headers = world.signed(bytes);
        return { ...headers, "webhook-signature": (headers["webhook-signature"] ?? "").replace("v1,", "v1a,") };
      },
    ],
  ])("%s", async (_, headersOf) => {
    const bytes = body();
    const reply = await changesNothing(() => world.forward(route, bytes, headersOf(bytes)));
    expect([reply.status, reply.answer.code]).toEqual([401, "bad_signature"]);
  });

  test("when it is larger than 64 KiB", async () => {
    const reply = await changesNothing(() => world.forward(route, " ".repeat(65_537)));
    expect([reply.status, reply.answer.code]).toEqual([413, "body_too_large"]);
  });
});

test("what is unusual and not wrong is launched", async () => {
  const unusual: Payload[] = [
    { resources: { cpus: 0.5, memBytes: 1, gpu: "none" } },
    { resources: undefined, mandatoryLabels: undefined, jobId: undefined },
    { orchestratorUrl: "ws://10.0.0.7:4000/ws" },
    { orchestratorUrl: "https://[fd00::7]/ws" },
    { claimCode: "kcc_not-hex" },
    { newerField: { of: ["an", "orchestrator"] } },
    { mandatoryLabels: ["pool:gpu"] },
    { scalerName: "arm-only" },
    { agentId: "agent #7 'quoted' \"$(reboot)\" `id` ;&|<>\\ é 漢" },
  ];
  for (const [index, change] of unusual.entries()) {
    const reply = await world.up(world.scaleUp({ agentId: `${agent}-${index}`, ...change }));
    expect([index, reply.status]).toEqual([index, 201]);
  }
});
