import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { controlPlaneUrl } from "./control-plane-url.ts";

export interface Outgoing {
  readonly method: "GET" | "POST" | "PUT";
  /** Below the base URL, query included. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | number>>;
  /** How long a connection may take to stand, TLS included, in milliseconds. */
  readonly connectMs: number;
  /** A connection of its own, closed after it: an idle one that died cannot leave the request's fate open then. */
  readonly alone?: boolean;
}

/** Connections to one Control Plane, kept alive between requests. */
export interface Connection {
  /** Opens a request; the caller writes its body, bounds its answer and hears its errors. */
  open(outgoing: Outgoing, onAnswer: (answer: IncomingMessage) => void): ClientRequest;
  /** Closes every socket at once. */
  close(): void;
}

/** Idle sockets go after this long: shorter than what servers and balancers wait, so that few requests meet a closed one. */
const idleMs = 20_000;

/**
 * node:http and node:https rather than fetch, whose first use costs a cold start some 50 ms (style: measured facts). TLS
 * verification is Node's own, on; a private authority is added with NODE_EXTRA_CA_CERTS. Throws as {@link controlPlaneUrl} does.
 */
export function connection(baseUrl: string): Connection {
  const base = controlPlaneUrl(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const isTls = base.protocol === "https:";
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true, timeout: idleMs, scheduling: "lifo" });
  const request = isTls ? httpsRequest : httpRequest;
  const connected = isTls ? "secureConnect" : "connect";

  return {
    open({ method, path, headers, connectMs, alone = false }, onAnswer) {
      const { hostname, port } = base;
      const options = {
        agent: alone ? (false as const) : agent,
        hostname,
        method,
        headers,
        path: prefix + path,
        ...(port === "" ? {} : { port }),
      };
      const opened = request(options, onAnswer);
      opened.once("socket", (socket) => {
        if (opened.reusedSocket) return;
        const late = setTimeout(() => opened.destroy(new Error("no connection in time")), connectMs);
        const stop = () => clearTimeout(late);
        socket.once(connected, stop);
        socket.once("close", stop);
      });
      return opened;
    },
    close: () => agent.destroy(),
  };
}
