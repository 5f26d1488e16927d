import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

export interface HttpCall {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The longest from the first byte sent to the last one read, in milliseconds. */
  readonly timeoutMs: number;
  /** A longer answer is cut off and rejected, in bytes. */
  readonly mostBytes: number;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends one request and reads the whole answer, or rejects. Redirects are answers like any other. */
export type HttpSend = (call: HttpCall) => Promise<HttpReply>;

const loopback = new Set(["127.0.0.1", "[::1]", "localhost"]);

/** A base URL that a credential may be sent to: https, or http on this machine. Throws with the sentence that says so. */
export function credentialUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new Error(`"${text}" is not a base URL such as https://zoomies.example.com.`);
  }
  if (url.protocol === "https:" || (url.protocol === "http:" && loopback.has(url.hostname))) return url;
  throw new Error(`${url.origin} would carry a credential in the clear. Use https.`);
}

/**
 * Over node:https; reads share connections, a mutation gets its own, so that an idle connection that has died
 * under it cannot leave its fate open. A read that finds its connection dead is sent once more (node docs:
 * `request.reusedSocket`), which happens whenever Lambda thaws an environment.
 */
export function httpSend(): HttpSend {
  const agents = { "http:": new HttpAgent({ keepAlive: true }), "https:": new HttpsAgent({ keepAlive: true }) };

  function once(call: HttpCall, shared: boolean): Promise<HttpReply> {
    const { url, method, headers, body } = call;
    const isHttps = url.protocol === "https:";
    return new Promise((resolve, reject) => {
      const options = {
        method,
        headers: body === undefined ? headers : { ...headers, "content-length": String(Buffer.byteLength(body)) },
        agent: shared ? agents[isHttps ? "https:" : "http:"] : false,
        signal: AbortSignal.timeout(call.timeoutMs),
      } as const;
      const request: ClientRequest = (isHttps ? httpsRequest : httpRequest)(url, options, (response) => {
        collect(response, call.mostBytes).then(resolve, reject);
      });
      request.on("error", (error) => reject(shared && request.reusedSocket ? new DeadConnection(error) : error));
      request.end(body);
    });
  }

  return async (call) => {
    const shared = call.method === "GET";
    try {
      return await once(call, shared);
    } catch (error) {
      if (error instanceof DeadConnection && error.isReset) return once(call, false);
      throw error instanceof DeadConnection ? error.cause : error;
    }
  };
}

class DeadConnection extends Error {
  readonly isReset: boolean;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.isReset = ["ECONNRESET", "EPIPE"].includes((cause as NodeJS.ErrnoException).code ?? "");
  }
}

async function collect(response: IncomingMessage, mostBytes: number): Promise<HttpReply> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the stream and its connection.
    if (size > mostBytes) throw new Error(`The answer is longer than ${mostBytes} bytes.`);
    chunks.push(chunk);
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}
