import { type PostReply, post } from "../../infra/local/zoomies/post.ts";
import type { DeployedWorld } from "./world.ts";

/**
 * Posts to a URL of the stack's HTTP API. Its host name, API.execute-api.localhost, is loopback by definition (RFC 6761), but not every
 * resolver knows: the connection goes to 127.0.0.1 and the name into the Host header, by which the API is found.
 */
export function postTo(
  { ministack }: DeployedWorld,
  url: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<PostReply> {
  const { host, pathname } = new URL(url);
  return post(`${ministack.url}${pathname}`, { body, headers: { Host: host, ...headers } }, 30_000);
}
