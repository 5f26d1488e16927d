import type { ServerResponse } from "node:http";
import type { Refusal } from "../model/refusal.ts";
import { WrongMethod } from "./route.ts";

type Headers = Readonly<Record<string, string>>;

export function sendJson(response: ServerResponse, status: number, value: unknown, headers: Headers = {}): void {
  if (response.destroyed) return;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** The standard error envelope, with the headers that belong to the status (helmr-notes 1). */
export function sendRefusal(response: ServerResponse, error: Refusal): void {
  const headers: Record<string, string> = {};
  if (error.status === 401) headers["www-authenticate"] = "Bearer";
  if (error instanceof WrongMethod) headers["allow"] = error.allow;
  // What was not read of a large body would be taken for the next request.
  if (error.status === 413) headers["connection"] = "close";
  sendJson(response, error.status, { error: { code: error.code, message: error.message } }, headers);
}
