import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { backoffMs, openUpdates, type UpdateStream, type UpdateStreamSettings } from "../../lib/helmr/update-stream.ts";
import { testToken } from "./answers.ts";
import { ManualTimers } from "./manual-timers.ts";
import { answer, type Script, ScriptedServer } from "./scripted-server.ts";

let server: ScriptedServer;
let timers: ManualTimers;
let stream: UpdateStream | undefined;
let changes: number;
let lost: string[];
let open: ServerResponse[];

beforeEach(async () => {
  server = await ScriptedServer.start();
  timers = new ManualTimers();
  changes = 0;
  lost = [];
  open = [];
});
afterEach(async () => {
  stream?.close();
  await server.stop();
});

/** The stream stays open and says `text` at once; the response is kept to say more. */
const streaming =
  (text: string): Script =>
  (response) => {
    open.push(response);
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    response.write(text);
  };

function follow(more: Partial<UpdateStreamSettings> = {}): void {
  stream = openUpdates({
    baseUrl: server.url,
    token: async () => testToken,
    onChange: () => {
      changes += 1;
    },
    onLost: (reason) => lost.push(reason),
    timers,
    jitter: () => 1,
    ...more,
  });
}

const soon = <T>(check: () => T) => vi.waitFor(check, { interval: 2, timeout: 5_000 });
const until = (count: () => number, least: number) => soon(() => expect(count()).toBeGreaterThanOrEqual(least));

describe("the update stream", () => {
  it("asks for an event stream with the token and hints at each change", async () => {
    server.script(streaming("event: change\n\n"));
    follow();
    await until(() => changes, 1);
    expect(server.arrived).toMatchObject([
      {
        method: "GET",
        url: "/capacity/v1/updates",
        headers: { accept: "text/event-stream", authorization: `Bearer ${testToken}` },
      },
    ]);
    open[0]?.write(": heartbeat\n\nevent: plan\n\nevent: cha");
    open[0]?.write("nge\ndata: {}\n\n");
    await until(() => changes, 2);
    expect(changes).toBe(2);
    expect(lost).toEqual([]);
  });

  it("comes back after it ended, each time later, until a stream has lived for a while", async () => {
    server.script((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("event: change\n\n");
    });
    follow();
    for (const [index, wait] of [500, 1_000, 2_000].entries()) {
      await until(() => lost.length, index + 1);
      expect(timers.pending).toEqual([wait]);
      if (wait === 2_000) server.script(streaming("event: change\n\n"));
      timers.elapse(wait);
    }
    await until(() => changes, 4);
    timers.elapse(10_000);
    open[0]?.end();
    await until(() => lost.length, 4);
    expect(timers.pending).toEqual([500]);
  });

  it("takes a stream without heartbeats for dead and reconnects", async () => {
    server.script(streaming("event: change\n\n"));
    follow();
    await until(() => changes, 1);
    timers.elapse(59_999);
    expect(lost).toEqual([]);
    open[0]?.write(":\n\n");
    await soon(() => expect(timers.pending).toEqual([60_000]));
    timers.elapse(60_000);
    expect(lost).toEqual(["the stream fell silent"]);
    timers.elapse(500);
    await until(() => changes, 2);
  });

  it("is patient with a stream that opened and has nothing to say yet", async () => {
    server.script((response) => {
      open.push(response);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
    });
    follow();
    await soon(() => expect(timers.pending).toEqual([10_000, 60_000]));
    timers.elapse(59_999);
    expect(lost).toEqual([]);
  });

  it.each<[string, Script, string]>([
    ["refuses", answer(503, "no"), "the stream was answered with 503"],
    ["redirects", answer(307, "", { location: "/elsewhere" }), "the stream was answered with 307"],
    ["answers with something else", answer(200, {}), "the answer is no event stream"],
    ["hangs up", (response) => response.socket?.destroy(), "the stream failed (ECONNRESET)"],
  ])("survives a peer that %s", async (_name, script, reason) => {
    server.script(script, streaming("event: change\n\n"));
    follow();
    await until(() => lost.length, 1);
    expect(lost).toEqual([reason]);
    timers.elapse(500);
    await until(() => changes, 1);
  });

  it("survives a peer that never answers", async () => {
    server.script(() => undefined, streaming("event: change\n\n"));
    follow();
    await until(() => server.arrived.length, 1);
    timers.elapse(10_000);
    expect(lost).toEqual(["the stream did not open in time"]);
    timers.elapse(500);
    await until(() => changes, 1);
  });

  it("tells a 401 to the token's keeper, and survives a token that cannot be read", async () => {
    const refused: string[] = [];
    server.script(answer(401, ""), streaming("event: change\n\n"));
    let reads = 0;
    const token = async () => {
      reads += 1;
      if (reads === 2) throw new Error("unreadable");
      return testToken;
    };
    follow({ token, refused: (used) => refused.push(used) });
    await until(() => lost.length, 1);
    expect(refused).toEqual([testToken]);
    timers.elapse(500);
    await until(() => lost.length, 2);
    expect(lost[1]).toBe("the token could not be read");
    timers.elapse(1_000);
    await until(() => changes, 1);
  });

  it("survives an owner that fails", async () => {
    server.script(streaming("event: change\n\nevent: change\n\n"));
    follow({
      onChange: () => {
        changes += 1;
        throw new Error("the owner's own");
      },
    });
    await until(() => changes, 2);
    expect(lost).toEqual([]);
  });

  it("ends its socket and its timers at once when it is closed, and says nothing more", async () => {
    const stop = new AbortController();
    server.script(streaming("event: change\n\n"));
    follow({ signal: stop.signal });
    await until(() => changes, 1);
    const ended = new Promise<void>((resolve) => open[0]?.once("close", () => resolve()));
    stop.abort();
    await ended;
    expect(timers.pending).toEqual([]);
    expect(lost).toEqual([]);
  });

  it("closes while it waits to come back, and does not begin when it is over already", async () => {
    server.script(answer(503, ""));
    follow();
    await until(() => lost.length, 1);
    stream?.close();
    expect(timers.pending).toEqual([]);
    server.script(streaming(""));
    follow({ signal: AbortSignal.abort() });
    expect(timers.pending).toEqual([]);
    expect(server.arrived).toEqual([]);
  });

  it("waits between half and all of a doubling time, never more than 15 seconds", () => {
    expect([1, 2, 3, 4, 5, 6, 60].map((failures) => backoffMs(failures, 1))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000,
    ]);
    expect(backoffMs(3, 0)).toBe(1_000);
  });
});
