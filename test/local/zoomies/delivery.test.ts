import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { deliver } from "../../../infra/local/zoomies/delivery.ts";
import { post } from "../../../infra/local/zoomies/post.ts";

const request = {
  body: Buffer.from('{"a":1}'),
  headers: { "Content-Type": "application/json", "Content-Length": "7" },
};
let server: Server | undefined;
afterEach(() => server?.close());

type Seen = { method: string | undefined; url: string | undefined; body: string };

/** A receiver that answers by its script, one entry a request, the last for all that follow. */
async function receiver(...script: (number | "silence" | { status: number; location: string })[]) {
  const seen: Seen[] = [];
  server = createServer((incoming: IncomingMessage, response) => {
    let body = "";
    incoming.on("data", (chunk) => {
      body += chunk;
    });
    incoming.on("end", () => {
      const entry = script[Math.min(seen.length, script.length - 1)];
      seen.push({ method: incoming.method, url: incoming.url, body });
      if (entry === "silence") return;
      const status = typeof entry === "number" ? entry : (entry?.status ?? 500);
      response.writeHead(
        status,
        typeof entry === "object" ? { location: entry.location } : { "x-drover-outcome": "applied" },
      );
      response.end();
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  return { url, seen, waits, parts: { post, wait } };
}

test("a 2xx ends the delivery at its first try", async () => {
  const { url, seen, waits, parts } = await receiver(204);
  const result = await deliver(url, request, 1000, parts);
  expect(result).toEqual({ delivered: true, tries: 1, status: 204, outcome: "applied", error: undefined });
  expect([seen.length, waits]).toEqual([1, []]);
});

test.each([400, 404, 503, 304])(
  "a %i is tried three times in all, 100 and 200 ms apart, with the same bytes",
  async (status) => {
    const { url, seen, waits, parts } = await receiver(status);
    expect(await deliver(url, request, 1000, parts)).toMatchObject({ delivered: false, tries: 3, status });
    expect(waits).toEqual([100, 200]);
    expect(seen.map((each) => each.body)).toEqual(['{"a":1}', '{"a":1}', '{"a":1}']);
  },
);

test("a receiver that does not answer within the timeout is asked again", async () => {
  const { url, seen, parts } = await receiver("silence", 204);
  expect(await deliver(url, request, 60, parts)).toMatchObject({ delivered: true, tries: 2 });
  expect(seen.length).toBe(2);
});

test("nobody listening is a failed delivery and no exception", async () => {
  const { url, parts } = await receiver(204);
  server?.close();
  const result = await deliver(url, request, 1000, parts);
  expect(result).toMatchObject({ delivered: false, tries: 3, status: undefined });
  expect(result.error).toContain("ECONNREFUSED");
});

test("a 308 is followed with the body, a 303 as a GET without one, as Go's client does", async () => {
  const again = await receiver({ status: 308, location: "/moved" }, 204);
  await deliver(again.url, request, 1000, again.parts);
  expect(again.seen[1]).toEqual({ method: "POST", url: "/moved", body: '{"a":1}' });
  server?.close();
  const other = await receiver({ status: 303, location: "/moved" }, 200);
  expect(await deliver(other.url, request, 1000, other.parts)).toMatchObject({ delivered: true });
  expect(other.seen[1]).toEqual({ method: "GET", url: "/moved", body: "" });
});

test("redirects without an end are given up after ten", async () => {
  const { url, seen, parts } = await receiver({ status: 307, location: "/in" });
  expect((await deliver(url, request, 1000, parts)).error).toBe("stopped after 10 redirects");
  expect(seen.length).toBe(33);
});
