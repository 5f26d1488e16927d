import type { IncomingMessage } from "node:http";
import { badRequest, Refusal } from "../model/refusal.ts";

/** The limit on mutating bodies (contract, Errors and retries). */
const mostBytes = 16 * 1024;
const generalLimit = 1024 * 1024;

/** Reads a body of at most `limit` bytes. Throws 413 past it; the rest is not read. */
async function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > limit) throw new Refusal(413, "the request body is too large");
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** One JSON value and nothing after it; undefined for an empty body. Throws 400, 413. */
export async function jsonBody(request: IncomingMessage, takesBody: boolean): Promise<unknown> {
  const text = (await readBody(request, takesBody ? mostBytes : generalLimit)).toString("utf8");
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("the body is not one JSON value");
  }
}
