import { afterEach, expect, test } from "vitest";
import { parse } from "yaml";
import { ledgerItems } from "../functions/ledger-items.ts";
import { type KiciWorld, startKici } from "./kici-world.ts";

let world: KiciWorld;
afterEach(() => world.close());

/** Every spelling in which a secret could have got away. */
const spellings = (secret: string) => [
  secret,
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  Buffer.from(secret).toString("hex"),
  encodeURIComponent(secret),
];

test("a claim code is in its instance's user data, and nowhere else in a whole run of good and bad moments", async () => {
  world = await startKici();
  const codes: string[] = [];
  const seen: string[] = [];
  const up = async (given = {}) => {
    const payload = world.scaleUp({ agentId: `agent-${codes.length}`, ...given });
    codes.push(String(payload["claimCode"]));
    const reply = await world.up(payload).catch((error: unknown) => String(error));
    seen.push(JSON.stringify(reply));
    return payload;
  };
  const fault = async (rule: Parameters<KiciWorld["faults"]["add"]>[0], given = {}) => {
    const end = world.faults.add(rule);
    await up(given);
    end();
  };

  const first = await up();
  seen.push(JSON.stringify(await world.up({ ...first, claimCode: "another-code-of-the-same-agent-0123456789" })));
  codes.push("another-code-of-the-same-agent-0123456789");
  await fault({
    on: "ec2:RunInstances",
    kind: "error",
    code: "InsufficientInstanceCapacity",
    httpStatus: 500,
    at: { nth: 1 },
  });
  await fault({
    on: "ec2:RunInstances",
    kind: "error",
    code: "InvalidParameterValue",
    message: "UserData of the request",
  });
  await fault({ on: "ec2:RunInstances", kind: "reply-lost", at: { next: 3 } });
  await fault({ on: "ec2:RunInstances", kind: "kill", moment: "after", at: { nth: 1 } });
  await fault({ on: "dynamodb:PutItem", kind: "error", code: "ValidationException", at: { next: 9 } });
  await up({ claimCode: `with a "quote" and ${"0123456789abcdef".repeat(4)}` });
  await up({ labels: [] });
  await up({ scalerName: "unknown" });
  await up({ orchestratorUrl: "wss://127.0.0.1/ws" });
  await up({ claimCode: `line\nbreak-${"fedcba9876543210".repeat(2)}` });
  const bytes = JSON.stringify(first);
  seen.push(JSON.stringify(await world.forward("scale-up", bytes, { "webhook-signature": "v1,AAAA" })));
  seen.push(JSON.stringify(await world.forward("scale-down", bytes)));
  seen.push(JSON.stringify(await world.down(world.scaleDown({ agentId: "agent-0" }))));
  world.advance(16 * 60_000);
  seen.push(JSON.stringify((await world.reap()).outcome));

  const instances = world.cloud.allInstances();
  expect(instances.length).toBeGreaterThan(2);
  const everywhere = [
    ...world.lines,
    ...seen,
    ...(await ledgerItems(world)).map((item) => JSON.stringify(item)),
    JSON.stringify(instances),
    JSON.stringify(world.faults.calls.filter(({ service }) => service !== "ec2")),
    JSON.stringify(world.faults.calls.map(({ input }) => ({ ...input, UserData: undefined }))),
  ].join("\n");
  expect(everywhere).toContain("agent-0");
  for (const code of codes) for (const spelling of spellings(code)) expect(everywhere).not.toContain(spelling);
  for (const spelling of spellings(world.secrets.kici.value.slice(6))) expect(everywhere).not.toContain(spelling);

  const launchedWith = [...world.cloud.world.instances.values()].map(({ userData = "" }) => {
    const config = parse(Buffer.from(userData, "base64").toString()) as { write_files: { content: string }[] };
    return Buffer.from(config.write_files[0]?.content ?? "", "base64").toString();
  });
  expect(launchedWith.every((text) => codes.some((code) => text.includes(`KICI_SCALER_CLAIM_CODE=${code}\n`)))).toBe(
    true,
  );
});
