import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import type { SignedRequest } from "./signed-request.ts";

export type PostReply = {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
};

const MOST_REDIRECTS = 10;
const LONGEST_BODY = 64 * 1024;

/**
 * Posts once, with Go's default client's habits: up to ten redirects are followed, 307 and 308 with the body again, 301,
 * 302 and 303 as a GET without one (notes 2). Rejects when no answer came in time or the redirects do not end.
 */
export async function post(url: string, sent: SignedRequest, timeoutMs: number): Promise<PostReply> {
  const signal = AbortSignal.timeout(timeoutMs);
  let target = new URL(url);
  let method = "POST";
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    const reply = await once(target, method, sent, signal);
    const location = reply.headers["location"];
    if (![301, 302, 303, 307, 308].includes(reply.status) || typeof location !== "string") return reply;
    target = new URL(location, target);
    if (reply.status < 307) method = "GET";
  }
  throw new Error(`stopped after ${MOST_REDIRECTS} redirects`);
}

function once(target: URL, method: string, sent: SignedRequest, signal: AbortSignal): Promise<PostReply> {
  const request = target.protocol === "https:" ? httpsRequest : httpRequest;
  const { "Content-Type": _type, "Content-Length": _length, ...bodiless } = sent.headers;
  const headers = method === "POST" ? sent.headers : bodiless;
  return new Promise((resolve, reject) => {
    const call = request(target, { method, headers, signal, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        if (body.length < LONGEST_BODY) body += chunk;
      });
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    call.on("error", (error) => reject(signal.aborted ? new Error("no answer in time", { cause: error }) : error));
    call.end(method === "POST" ? sent.body : undefined);
  });
}
