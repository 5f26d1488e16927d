import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type ControlPlane, ControlPlaneError, ControlPlaneUnreachable } from "../../lib/helmr/control-plane.ts";
import { httpControlPlane } from "../../lib/helmr/http-control-plane.ts";
import { hostAnswer, ids, testToken } from "./answers.ts";

let server: Server;
let bytes: Uint8Array = new Uint8Array();
let client: ReturnType<typeof httpControlPlane>;
const sockets = new Set<Socket>();

beforeAll(async () => {
  // Speaks whatever the test wants to every request, then hangs up.
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(bytes));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  client = httpControlPlane({
    baseUrl: `http://127.0.0.1:${port}`,
    token: async () => testToken,
    wait: async () => {},
  });
});
afterAll(async () => {
  client.close();
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

const drain = { expected_epoch: 3, expected_claim_version: 1, reason: "replacement" } as const;
const calls: ((c: ControlPlane) => Promise<unknown>)[] = [
  (c) => c.resolveGroup("r", "g"),
  (c) => c.pendingScaleIn(ids.group),
  (c) => c.scaleIn(ids.group, ids.pool, ids.key),
  (c) => c.hosts({ worker_group_id: ids.group }),
  (c) => c.drain(ids.host, drain),
  (c) => c.lost(ids.host),
];

it("whatever a peer says, a call ends with an answer or one of the two errors, and nothing of the token in it", async () => {
  const good = JSON.stringify(hostAnswer);
  const status = fc.constantFrom(
    "200 OK",
    "200",
    "204 No Content",
    "302 Found",
    "401 X",
    "409 C",
    "500 I",
    "101 Switch",
    "999 Z",
    "abc",
  );
  const header = fc.constantFrom(
    "Content-Length: 5",
    `Content-Length: ${good.length}`,
    "Content-Length: 99999999999",
    "Content-Length: -1",
    "Transfer-Encoding: chunked",
    "Content-Encoding: gzip",
    "Connection: upgrade\r\nUpgrade: websocket",
    `X-Long: ${"x".repeat(20_000)}`,
    "no colon here",
    "Location: https://elsewhere.example/",
  );
  const body = fc.oneof(
    fc.constantFrom(good, "{", "null", "[]", "5\r\nhello\r\n0\r\n\r\n", "ffffffffff\r\n"),
    fc.string(),
  );
  const spoken = fc.tuple(status, fc.array(header, { maxLength: 3 }), body).map(([line, headers, text]) => {
    return Buffer.from(`HTTP/1.1 ${line}\r\n${headers.map((each) => `${each}\r\n`).join("")}\r\n${text}`);
  });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(spoken, fc.uint8Array({ maxLength: 200 })),
      fc.constantFrom(...calls),
      async (junk, call) => {
        bytes = junk;
        const error: unknown = await call(client).then(
          () => undefined,
          (caught: unknown) => caught,
        );
        if (error === undefined) return;
        expect(error instanceof ControlPlaneError || error instanceof ControlPlaneUnreachable, String(error)).toBe(
          true,
        );
        expect(String((error as Error).stack)).not.toContain(testToken);
      },
    ),
    { numRuns: 150 },
  );
});
