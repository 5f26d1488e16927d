import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One request as it arrived, its body whole. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** The sender's port: one connection, one port. */
  readonly port?: number | undefined;
}

export type Script = (response: ServerResponse, request: Arrived) => void;

export const answer =
  (status: number, body: unknown, headers: Record<string, string> = {}): Script =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

/** A peer that answers each request by the next script, the last one for ever, and remembers what arrived. */
export class ScriptedServer {
  readonly arrived: Arrived[] = [];
  readonly #server: Server;
  #scripts: Script[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method = "", url = "", headers } = request;
        const arrived = {
          method,
          url,
          headers,
          body: Buffer.concat(chunks).toString("utf8"),
          port: request.socket.remotePort,
        };
        this.arrived.push(arrived);
        const script = this.#scripts.length > 1 ? this.#scripts.shift() : this.#scripts[0];
        (script ?? answer(500, {}))(response, arrived);
      });
    });
  }

  static async start(): Promise<ScriptedServer> {
    const started = new ScriptedServer();
    await new Promise<void>((resolve) => started.#server.listen(0, "127.0.0.1", resolve));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Forgets what arrived and answers with these from now on. */
  script(...scripts: Script[]): void {
    this.arrived.length = 0;
    this.#scripts = scripts;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
