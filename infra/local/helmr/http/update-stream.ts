import type { ServerResponse } from "node:http";
import type { UpdateFeed } from "../update-feed.ts";

export interface StreamTimings {
  /** Changes within this time are one event. Milliseconds. */
  readonly coalesceMs: number;
  /** A comment after this long without an event. Milliseconds. */
  readonly heartbeatMs: number;
}

/**
 * GET /updates: `event: change` at once and after committed changes, joined; comments while idle; no id, no replay, no
 * plan inside (contract, React to capacity changes).
 */
export function serveUpdates(response: ServerResponse, feed: UpdateFeed, timings: StreamTimings): void {
  if (feed.state === "refused") {
    response.destroy();
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  let pending: NodeJS.Timeout | undefined;
  const write = (text: string) => {
    if (feed.state === "stalled") return;
    response.write(text);
    heartbeat.refresh();
  };
  const heartbeat = setInterval(() => write(": heartbeat\n\n"), timings.heartbeatMs);
  const change = () => {
    pending ??= setTimeout(() => {
      pending = undefined;
      write(changeEvent);
    }, timings.coalesceMs);
  };
  const stop = feed.subscribe({ change, cut: () => void response.destroy() });
  response.once("close", () => {
    clearInterval(heartbeat);
    clearTimeout(pending);
    stop();
  });
  response.flushHeaders();
  write(changeEvent);
}

const changeEvent = "event: change\ndata: {}\n\n";
