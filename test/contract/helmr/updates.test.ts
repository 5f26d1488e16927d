import { type IncomingMessage, request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { type ControlPlaneServer, startControlPlane } from "../../../infra/local/helmr/server.ts";
import { createUpdateFeed } from "../../../infra/local/helmr/update-feed.ts";
import { activeHost, item, setting, token } from "./setting.ts";

let server: ControlPlaneServer | undefined;
let stream: Stream | undefined;
afterEach(async () => {
  stream?.answer.destroy();
  await server?.close();
});

/** The text of an open stream, and a way to wait for more of it. */
interface Stream {
  readonly answer: IncomingMessage;
  text(): string;
  /** Waits until the text satisfies; the test's own time limit ends a vain wait. */
  until(satisfied: (text: string) => boolean): Promise<string>;
  ended: Promise<void>;
}

function open(url: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const headers = { accept: "text/event-stream", authorization: `Bearer ${token}` };
    const sent = request(`${url}/capacity/v1/updates`, { headers, agent: false }, (answer) => {
      let text = "";
      let hear = () => {};
      answer.setEncoding("utf8");
      answer.on("data", (chunk: string) => {
        text += chunk;
        hear();
      });
      answer.on("error", () => {});
      const ended = new Promise<void>((done) => answer.on("close", () => done()));
      const until = (satisfied: (text: string) => boolean) =>
        new Promise<string>((done) => {
          hear = () => satisfied(text) && done(text);
          hear();
        });
      resolve({ answer, text: () => text, until, ended });
    });
    sent.on("error", reject);
    sent.end();
  });
}

const changes = (text: string) => text.split("event: change\n").length - 1;

describe("the update stream (contract: React to capacity changes; notes row 9)", () => {
  test("it says change on connection, without an id and without a plan", async () => {
    server = await startControlPlane({ model: setting().model });
    stream = await open(server.url);
    const text = await stream.until((heard) => heard.endsWith("\n\n"));
    expect(stream.answer.headers["content-type"]).toBe("text/event-stream");
    expect(changes(text)).toBe(1);
    expect(text).not.toMatch(/^id:/m);
    expect(text).not.toContain("recommended");
  });

  test("changes that come together are one event", async () => {
    const world = setting();
    server = await startControlPlane({ model: world.model });
    stream = await open(server.url);
    await stream.until((text) => changes(text) === 1);
    for (let index = 0; index < 20; index += 1) activeHost(world, `i-${index}`);
    await stream.until((text) => changes(text) >= 2);
    world.model.demand.enqueue(world.group.id, item());
    expect(changes(await stream.until((text) => changes(text) >= 3))).toBe(3);
  });

  test("comments keep an idle stream alive, and are no events", async () => {
    server = await startControlPlane({ model: setting().model, heartbeatMs: 5 });
    stream = await open(server.url);
    const text = await stream.until((heard) => heard.includes(": heartbeat\n\n: heartbeat\n\n"));
    expect(changes(text)).toBe(1);
  });

  test("a silenced stream goes on with heartbeats while changes are lost for good", async () => {
    const world = setting();
    server = await startControlPlane({ model: world.model, heartbeatMs: 5 });
    stream = await open(server.url);
    await stream.until((text) => changes(text) === 1);
    server.updates.state = "silent";
    activeHost(world, "i-a");
    const before = stream.text().length;
    await stream.until((text) => text.length > before + 40);
    server.updates.state = "flowing";
    const length = stream.text().length;
    const text = await stream.until((heard) => heard.length > length + 40);
    expect(changes(text)).toBe(1);
  });

  test("a cut ends the connection, and a new one says change at once", async () => {
    server = await startControlPlane({ model: setting().model });
    stream = await open(server.url);
    server.updates.cut();
    await stream.ended;
    expect(server.updates.open).toBe(0);
    stream = await open(server.url);
    await stream.until((text) => changes(text) === 1);
  });

  test("a rotated token ends the open streams with the replicas that served them", async () => {
    const world = setting();
    server = await startControlPlane({ model: world.model });
    stream = await open(server.url);
    world.model.credential.rotate("C".repeat(43));
    await stream.ended;
  });

  test("a stalled stream sends nothing at all; a refused one does not open", async () => {
    const world = setting();
    server = await startControlPlane({ model: world.model, heartbeatMs: 5, coalesceMs: 1 });
    stream = await open(server.url);
    await stream.until((text) => changes(text) === 1);
    server.updates.state = "stalled";
    const before = stream.text();
    activeHost(world, "i-a");
    await new Promise((resolve) => setImmediate(resolve));
    server.updates.state = "refused";
    await expect(open(server.url)).rejects.toThrow();
    expect(stream.text().startsWith(before)).toBe(true);
    expect(changes(stream.text())).toBe(1);
  });
});

test("in process, each committed change is a hint; a plan is none", () => {
  const world = setting();
  const feed = createUpdateFeed(world.model);
  let hints = 0;
  feed.subscribe({ change: () => (hints += 1), cut: () => {} });
  world.model.region.emit({ type: "plan", groupId: world.group.id, evidence: true });
  expect(hints).toBe(0);
  activeHost(world, "i-a");
  expect(hints).toBeGreaterThan(0);
  feed.close();
});
