import { type IncomingHttpHeaders, request } from "node:http";
import { expect } from "vitest";
import { token } from "./setting.ts";

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

export interface RawRequest {
  readonly method?: string;
  /** Text is sent as it is, anything else as JSON; undefined sends no body at all. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly authorization?: string | null;
}

/** One request to the byte, without anything that a client would put right. */
export function rawRequest(url: string, path: string, options: RawRequest = {}): Promise<RawAnswer> {
  const { method = "GET", body, headers = {}, authorization = `Bearer ${token}` } = options;
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      {
        method,
        agent: false,
        headers: {
          accept: "application/json",
          ...(authorization === null ? {} : { authorization }),
          ...(method === "GET" ? {} : { "content-length": String(Buffer.byteLength(text ?? "")) }),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("end", () => {
          const all = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: all === "" ? undefined : JSON.parse(all),
          });
        });
        answer.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(text);
  });
}

/** The envelope of a refusal. */
export const envelope = (code: string) => ({ error: { code, message: expect.any(String) } });
