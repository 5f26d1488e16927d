import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import {
  DroverRefused,
  forwardToDrover,
  giveUpAfterMs,
  type Surroundings,
} from "../../infra/examples/kici/forward-to-drover.ts";
import { isWebhookSigned, webhookKey } from "../../lib/edge/standard-webhooks.ts";
import { type KiciWorld, startKici } from "../kici/kici-world.ts";

const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function kici(): Promise<KiciWorld> {
  const world = await startKici();
  closing.push(world.close);
  return world;
}

type Planned = { status: number; headers?: Record<string, string>; body?: string } | "hang up";
type Seen = { headers: IncomingHttpHeaders; body: Buffer };

/** A server that answers as planned, one answer a try, the last of them for ever. */
async function drover(...plan: Planned[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const planned = plan[Math.min(seen.length, plan.length - 1)] ?? "hang up";
      seen.push({ headers: request.headers, body: Buffer.concat(chunks) });
      if (planned === "hang up") {
        request.socket.destroy();
        return;
      }
      response.writeHead(planned.status, planned.headers);
      response.end(planned.body ?? '{"status":"exists","agentId":"a"}');
    });
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closing.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/kici/scale-up`, seen };
}

/** Time that passes only while somebody waits. */
function standingStill(): Surroundings & { waits: number[] } {
  const waits: number[] = [];
  let now = Date.UTC(2026, 8, 5, 12);
  return {
    waits,
    now: () => now,
    random: () => 0,
    wait: async (ms) => {
      waits.push(ms);
      now += ms;
    },
  };
}

test("the workflows' own file launches and tears down through Drover's front door", async () => {
  const world = await kici();
  const at = (route: string) => ({ url: `${world.api}/kici/${route}`, secret: world.secrets.kici.value });
  const up = await forwardToDrover(at("scale-up"), world.scaleUp({ labels: ["größe:ß", "🦊"] }));
  expect(up).toEqual({ status: "launched", agentId: expect.any(String), instanceId: expect.stringMatching(/^i-/) });
  expect(world.alive()).toHaveLength(1);
  expect(await forwardToDrover(at("scale-down"), world.scaleDown())).toMatchObject({ status: "terminating" });
  expect(await forwardToDrover(at("scale-down"), world.scaleDown())).toMatchObject({ status: "absent" });
  expect(world.alive()).toEqual([]);
});

test("what Drover refuses for good is thrown at once, with its code and sentence and without the claim code", async () => {
  const world = await kici();
  const payload = world.scaleUp({ scalerName: "unknown" });
  const error = await forwardToDrover(
    { url: `${world.api}/kici/scale-up`, secret: world.secrets.kici.value },
    payload,
    standingStill(),
  ).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DroverRefused);
  expect(String(error)).toMatch(/Drover answered 404 scaler_not_served: .*drover:kici-scaler=unknown.* \(1 try\)/);
  expect(String(error)).not.toContain(payload["claimCode"]);
});

test.each([
  ["no answer", "hang up" as const],
  ["409", { status: 409 }],
  ["429", { status: 429 }],
  ["500", { status: 500 }],
  ["503", { status: 503 }],
])("%s is repeated with the same bytes, signed anew each time", async (_name, planned) => {
  const { url, seen } = await drover(planned, planned, { status: 200 });
  const at = standingStill();
  expect(await forwardToDrover({ url, secret }, { claimCode: "c", b: [1] }, at)).toMatchObject({ status: "exists" });
  expect(seen).toHaveLength(3);
  const key = webhookKey(secret) ?? Buffer.alloc(0);
  for (const { headers, body } of seen) {
    expect(body.toString()).toBe('{"claimCode":"c","b":[1]}');
    const signed = {
      id: headers["webhook-id"] as string,
      timestamp: headers["webhook-timestamp"] as string,
      signature: headers["webhook-signature"] as string,
    };
    expect(isWebhookSigned(signed, body, key)).toBe(true);
  }
  expect(new Set(seen.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(seen.map(({ headers }) => headers["webhook-timestamp"])).size).toBeGreaterThan(1);
  expect(at.waits).toEqual([500, 1000]);
});

test.each([400, 401, 404, 413, 422, 301])("%i is not repeated", async (status) => {
  const { url, seen } = await drover({ status, headers: { location: "http://127.0.0.1:9/" }, body: "<html>" });
  const forwarded = forwardToDrover({ url, secret }, {}, standingStill());
  // A redirect counts as no answer: it would carry the claim code elsewhere.
  await expect(forwarded).rejects.toThrow(status === 301 ? "did not answer" : `answered ${status}`);
  if (status !== 301) expect(seen).toHaveLength(1);
});

test("Drover's Retry-After is kept, within reason", async () => {
  const busy = (seconds: string) => ({ status: 429, headers: { "retry-after": seconds } });
  const { url } = await drover(busy("7"), busy("3600"), busy("soon"), { status: 200 });
  const at = standingStill();
  await forwardToDrover({ url, secret }, {}, at);
  expect(at.waits).toEqual([7_000, 20_000, 2_000]);
});

test("it gives up in time for the job to be tried elsewhere: well inside the agent's 300 seconds", async () => {
  const { url, seen } = await drover({ status: 503, body: '{"code":"InsufficientInstanceCapacity","message":"No."}' });
  const at = standingStill();
  const before = at.now();
  await expect(forwardToDrover({ url, secret }, {}, at)).rejects.toThrow(
    /Drover answered 503 InsufficientInstanceCapacity: No. \(\d+ tries\)/,
  );
  expect(seen.length).toBeGreaterThan(5);
  expect(at.now() - before).toBeLessThanOrEqual(giveUpAfterMs);
  expect(giveUpAfterMs + 30_000).toBeLessThan(300_000 / 2 + 1);
});

test.each(["http://drover.example.com/kici/scale-up", "", "ftp://127.0.0.1/"])(
  "%j is no place for a claim code",
  async (url) => {
    await expect(forwardToDrover({ url, secret }, {}, standingStill())).rejects.toThrow(DroverRefused);
  },
);

test.each(["provision", "teardown"])(
  "the %s workflow's step outlasts every try, and is over before the claim is",
  (name) => {
    const text = readFileSync(new URL(`../../infra/examples/kici/${name}.workflow.ts`, import.meta.url), "utf8");
    const timeout = Number(/timeout: ([\d_]+),/.exec(text)?.[1]?.replaceAll("_", ""));
    expect(timeout).toBeGreaterThan(giveUpAfterMs + 30_000);
    expect(timeout).toBeLessThan(200_000);
    expect(text).toContain('match: { "$.scalerName": scaler }');
  },
);
