import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { bearerToken } from "../../lib/edge/bearer-token.ts";
import { credentialUrl, httpSend } from "../../lib/edge/http-call.ts";
import { OddAnswer, ZoomiesDenied, ZoomiesUnavailable } from "../../lib/zoomies/api.ts";
import { httpHostsApi, httpJoinsApi } from "../../lib/zoomies/http-api.ts";

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}
type Said = { readonly status: number; readonly body?: unknown } | "hang up" | "silence";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A controller on loopback whose answers a test writes by hand, and both halves of the API against it. */
async function controller(say: (asked: Asked) => Said, secret = { value: "token-1" }) {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    const one = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
    asked.push(one);
    const said = say(one);
    if (said === "silence") return;
    if (said === "hang up") return void request.socket.destroy();
    response.writeHead(said.status, { "content-type": "application/json" });
    response.end(said.body === undefined ? "" : typeof said.body === "string" ? said.body : JSON.stringify(said.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const clock = new ManualClock(1_000_000);
  const source = { read: async () => ({ value: secret.value, createdAt: 0 }) };
  const connection = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: bearerToken(source, clock, "token", 60_000),
    send: httpSend(),
    timeoutMs: 300,
  };
  return { asked, clock, hosts: httpHostsApi(connection), joins: httpJoinsApi(connection) };
}

const host = {
  id: "host_1",
  name: "i-0123456789abcdef0",
  embedded: false,
  capacity: 4,
  active_runners: 0,
  backends: ["docker"],
  labels: { zone: "a" },
  os: "linux",
  arch: "amd64",
  cordoned: false,
  healthy: true,
  incompatible: false,
  created_at: "2026-09-05T12:00:00Z",
};
const runner = (index: number) => ({ id: `runner_${index}`, pool_id: "pool_a", host_id: "host_1", state: "idle" });
const missing = { status: 404, body: { error: { code: "not_found", message: "no" } } };

describe("a list", () => {
  test("is asked with the token, and unknown fields of its rows are ignored", async () => {
    const { hosts, asked } = await controller(() => ({ status: 200, body: { items: [{ ...host, later: 1 }] } }));
    expect(await hosts.hosts()).toEqual([host]);
    expect(asked).toMatchObject([
      { method: "GET", path: "/api/v1/hosts", headers: { authorization: "Bearer token-1" } },
    ]);
  });

  test("comes in pages of 500 until all rows are there, without runners that are over (cases.md 67)", async () => {
    const all = Array.from({ length: 1_203 }, (_, index) => runner(index));
    const { hosts, asked } = await controller(({ path }) => {
      const query = new URL(path, "http://x").searchParams;
      const [limit, offset] = [Number(query.get("limit")), Number(query.get("offset"))];
      const items = [...all.slice(0, 1_202), { ...runner(1_202), state: "failed" }].slice(offset, offset + limit);
      return { status: 200, body: { items, total: all.length, limit, offset } };
    });
    expect(await hosts.runners()).toHaveLength(1_202);
    expect(asked).toHaveLength(3);
  });

  test.each([
    ["a page is missing", { items: [runner(1)], total: 2 }],
    ["a row comes twice instead of another one", { items: [runner(1), runner(1)], total: 2 }],
    ["it says no total", { items: [runner(1)] }],
    ["it is no list", { rows: [] }],
    ["a state is unknown", { items: [{ ...runner(1), state: "levitating" }], total: 1 }],
    ["a row has no id", { items: [{ ...runner(1), id: "" }], total: 1 }],
    ["it is not JSON", "<html>welcome</html>"],
  ])("is odd, and proves nothing, when %s", async (_, body) => {
    const { hosts } = await controller(({ path }) => {
      const isLater = !path.includes("offset=0");
      return { status: 200, body: isLater ? { items: [], total: 2 } : body };
    });
    await expect(hosts.runners()).rejects.toThrow(OddAnswer);
  });

  test("of one host's runners is odd when others are in it", async () => {
    const { hosts } = await controller(() => ({ status: 200, body: { items: [runner(1)], total: 1 } }));
    await expect(hosts.runners("host_2")).rejects.toThrow(OddAnswer);
  });

  test.each(Object.keys(host).filter((key) => key !== "os" && key !== "arch"))(
    "of hosts is odd when a row has no %s",
    async (key) => {
      const { [key as keyof typeof host]: _left, ...rest } = host;
      const { hosts } = await controller(() => ({ status: 200, body: { items: [rest] } }));
      await expect(hosts.hosts()).rejects.toThrow(OddAnswer);
    },
  );

  test("longer than the largest answer is cut off", async () => {
    const { hosts } = await controller(() => ({ status: 200, body: `"${"x".repeat(17 * 1024 * 1024)}"` }));
    await expect(hosts.hosts()).rejects.toThrow();
  });
});

describe("a row", () => {
  test("that Zoomies does not have is absent; a proxy's 404 says nothing", async () => {
    let said: Said = missing;
    const { hosts } = await controller(() => said);
    expect(await hosts.host("host_1")).toBeUndefined();
    said = { status: 404, body: "<html>nginx</html>" };
    await expect(hosts.host("host_1")).rejects.toThrow(ZoomiesUnavailable);
    await expect(hosts.deleteHost("host_1")).rejects.toThrow(ZoomiesUnavailable);
  });

  test("other than the one asked for is odd", async () => {
    const { hosts } = await controller(() => ({ status: 200, body: host }));
    await expect(hosts.host("host_2")).rejects.toThrow(OddAnswer);
  });

  test("with a strange id is asked for under that id", async () => {
    const { hosts, asked } = await controller(() => missing);
    await hosts.host("a/../b?force=true");
    expect(asked[0]?.path).toBe("/api/v1/hosts/a%2F..%2Fb%3Fforce%3Dtrue");
  });
});

describe("a mutation", () => {
  test("names its content type, and never confirms nor forces", async () => {
    const { hosts, asked } = await controller(({ method }) =>
      method === "DELETE" ? { status: 204 } : { status: 200, body: { ...host, cordoned: true } },
    );
    expect(await hosts.cordon("host_1", true)).toMatchObject({ cordoned: true });
    expect(await hosts.drain("runner_1")).toBe("accepted");
    expect(await hosts.deleteHost("host_1")).toBe("deleted");
    expect(asked.map(({ method, path, body }) => [method, path, body])).toEqual([
      ["POST", "/api/v1/hosts/host_1/cordon", '{"cordoned":true}'],
      ["POST", "/api/v1/runners/runner_1/drain", ""],
      ["DELETE", "/api/v1/hosts/host_1", ""],
    ]);
    for (const { headers } of asked) expect(headers["content-type"]).toBe("application/json");
  });

  test("that is refused with 409 is told as refused", async () => {
    const { hosts } = await controller(() => ({ status: 409, body: { error: { code: "conflict" } } }));
    expect(await hosts.drain("runner_1")).toBe("refused");
    expect(await hosts.deleteHost("host_1")).toBe("refused");
  });

  test.each<Said>(["hang up", "silence", { status: 500 }, { status: 429 }])(
    "is sent once, whatever becomes of it: %j",
    async (said) => {
      const { hosts, asked } = await controller(() => said);
      await expect(hosts.cordon("host_1", true)).rejects.toThrow(ZoomiesUnavailable);
      expect(asked).toHaveLength(1);
    },
  );

  test("that a redirect answers is not followed", async () => {
    const { hosts, asked } = await controller(() => ({ status: 307 }));
    await expect(hosts.drain("runner_1")).rejects.toThrow(OddAnswer);
    expect(asked).toHaveLength(1);
  });
});

describe("a join token", () => {
  const minted = {
    id: "join_1",
    prefix: "zoojoin_ab",
    expires_at: "2026-09-05T12:05:00Z",
    used_at: null,
    usable: true,
    token: "zoojoin_abc",
    command: "curl",
  };

  test("is minted, looked at and revoked", async () => {
    const { joins, asked } = await controller(({ method }) =>
      method === "POST"
        ? { status: 201, body: minted }
        : method === "GET"
          ? { status: 200, body: { ...minted, used_at: "2026-09-05T12:01:00Z", used_by_id: "host_1" } }
          : { status: 204 },
    );
    const request = { ttl: "5m", capacity: 4, labels: { zone: "a" } };
    expect(await joins.mint(request)).toMatchObject({ id: "join_1", token: "zoojoin_abc", used_at: null });
    expect(asked[0]?.body).toBe(JSON.stringify(request));
    expect(await joins.joinToken("join_1")).toMatchObject({ used_by_id: "host_1" });
    expect(await joins.revoke("join_1")).toBe("revoked");
  });

  test("without its text, or without a word on its use, is odd", async () => {
    const { used_at: _use, ...rest } = minted;
    const { token: _text, ...mute } = minted;
    for (const body of [rest, mute]) {
      const { joins } = await controller(() => ({ status: 201, body }));
      await expect(joins.mint({ ttl: "5m", capacity: 4, labels: {} })).rejects.toThrow(OddAnswer);
    }
  });
});

describe("the API token", () => {
  const only = (valid: string) => (asked: Asked) =>
    asked.headers.authorization === `Bearer ${valid}` ? { status: 200, body: { items: [] } } : { status: 401 };

  test("is read again after a 401, which is how a rotated one takes effect", async () => {
    const secret = { value: "token-1" };
    let valid = "token-1";
    const { hosts, asked, clock } = await controller((one) => only(valid)(one), secret);
    await hosts.hosts();
    valid = secret.value = "token-2";
    clock.advance(31_000);
    expect(await hosts.hosts()).toEqual([]);
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer token-1",
      "Bearer token-1",
      "Bearer token-2",
    ]);
  });

  test("is read again at most once per 30 s, and a refused one is told as denied", async () => {
    const { hosts, asked, clock } = await controller(only("another"));
    for (let call = 0; call < 3; call += 1) await expect(hosts.hosts()).rejects.toThrow(ZoomiesDenied);
    expect(asked).toHaveLength(3);
    clock.advance(31_000);
    await expect(hosts.hosts()).rejects.toThrow(ZoomiesDenied);
    expect(asked).toHaveLength(4);
  });

  test("never shows in an error", async () => {
    const { hosts } = await controller(() => "hang up", { value: "token-9" });
    const error = await hosts.hosts().catch((caught: unknown) => caught);
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("token-9");
  });

  test.each(["", "replace-me", "two lines\nof it"])("%j is no token", async (value) => {
    const { hosts, asked } = await controller(() => ({ status: 200 }), { value });
    await expect(hosts.hosts()).rejects.toThrow(/holds no token/);
    expect(asked).toEqual([]);
  });
});

test("reads share a connection, and one that died meanwhile is not taken for an answer", async () => {
  const sockets = new Set<number | undefined>();
  let kills = false;
  const server = createServer((request, response) => {
    sockets.add(request.socket.remotePort);
    if (kills) {
      kills = false;
      request.socket.destroy();
    } else response.end('{"items":[]}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const send = httpSend();
  const call = { method: "GET", url, headers: {}, timeoutMs: 1_000, mostBytes: 100 } as const;
  await send(call);
  await send(call);
  expect(sockets.size).toBe(1);
  kills = true;
  expect((await send(call)).status).toBe(200);
  kills = true;
  await expect(send({ ...call, method: "POST", body: "{}" })).rejects.toThrow();
});

test.each([
  ["https://zoomies.example.com", true],
  ["http://127.0.0.1:8080", true],
  ["http://localhost", true],
  ["http://zoomies.internal", false],
  ["https://user:secret@zoomies.example.com", false],
  ["https://zoomies.example.com/?a=b", false],
  ["ftp://zoomies.example.com", false],
  ["zoomies.example.com", false],
])("a credential may go to %s: %s", (url, may) => {
  if (may) expect(credentialUrl(url).href).toContain("//");
  else expect(() => credentialUrl(url)).toThrow();
});
