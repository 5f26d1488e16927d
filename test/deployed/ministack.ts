import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { root } from "../../infra/build/entry-points.ts";
import { isReachable } from "./reachable.ts";
import { ministackTools } from "./tools.ts";
import { until } from "./until.ts";
import { endWorker, type Worker, workersIn } from "./workers.ts";

export const account = "123456789012";
export const region = "eu-west-1";

export interface MiniStack {
  /** The one endpoint of all services, for AWS_ENDPOINT_URL. */
  readonly url: string;
  readonly port: number;
  /** Everything it printed so far. */
  log(): string;
  /** The processes that run functions. */
  workers(): Promise<Worker[]>;
  /** Ends it and what is left of its workers. */
  stop(): Promise<void>;
}

/**
 * Starts MiniStack on a free loopback port. Its whole environment reaches the functions (Lambda would give them none of it), so that it
 * gets nothing of ours but a PATH, on which the project's Node 24 comes first: that is what runs `nodejs24.x` here.
 *
 * @param folder where it keeps what it writes, a temporary folder of its own; by it its workers are told from other processes
 */
export async function startMiniStack(folder: string): Promise<MiniStack> {
  const port = await freePort();
  for (const each of ["home", "tmp", "s3"]) mkdirSync(`${folder}/${each}`, { recursive: true });
  const child = spawn(`${ministackTools()}/python`, ["-m", "ministack"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: `${root}node_modules/.bin:/usr/bin:/bin`,
      HOME: `${folder}/home`,
      TMPDIR: `${folder}/tmp`,
      S3_DATA_DIR: `${folder}/s3`,
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      MINISTACK_HOST: "localhost",
      MINISTACK_ACCOUNT_ID: account,
      MINISTACK_REGION: region,
      // Roles and their policies are evaluated for every call that reaches MiniStack.
      AUTH: "true",
      // What a new account has.
      LAMBDA_ACCOUNT_CONCURRENCY: "10",
    },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
  }
  const endHard = () => void child.kill("SIGKILL");
  process.once("exit", endHard);
  const workers = () => workersIn(folder);
  const stack: MiniStack = {
    url: `http://127.0.0.1:${port}`,
    port,
    log: () => printed,
    workers,
    async stop() {
      await end(child);
      process.off("exit", endHard);
      for (const worker of await workers()) await endWorker(worker);
    },
  };
  try {
    await until(`MiniStack answers on port ${port}`, 30_000, async () => {
      if (hasEnded(child)) throw new Error(`MiniStack ended at start:\n${printed.slice(-2_000)}`);
      return isReachable(port);
    });
  } catch (error) {
    await stack.stop();
    throw error;
  }
  return stack;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null;

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const hard = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await ended;
  clearTimeout(hard);
}

/** MiniStack must be told its port; the one that was free a moment ago will do. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
