import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deploymentAnswer } from "./answers.ts";

const file = (name: string) => fileURLToPath(new URL(`tls/${name}`, import.meta.url));
const run = promisify(execFile);
let server: Server;
let served = 0;

beforeAll(async () => {
  // A key and a self-signed certificate for 127.0.0.1, made for this test and used nowhere else.
  const identity = { key: readFileSync(file("test-only.key.pem")), cert: readFileSync(file("test-only.cert.pem")) };
  server = createServer(identity, (_request, response) => {
    served += 1;
    response.end(JSON.stringify(deploymentAnswer));
  });
  server.on("tlsClientError", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** In a process of its own, because Node reads NODE_EXTRA_CA_CERTS at its start only. */
async function ask(host: string, variables: NodeJS.ProcessEnv): Promise<string> {
  const { port } = server.address() as AddressInfo;
  const { NODE_EXTRA_CA_CERTS: _authorities, ...inherited } = process.env;
  const options = { env: { ...inherited, ...variables } };
  const { stdout } = await run(process.execPath, [file("read-deployment.ts"), `https://${host}:${port}`], options);
  return stdout.trim();
}

describe("TLS", () => {
  it("refuses a certificate that nobody vouches for, before anything is sent", async () => {
    expect(await ask("127.0.0.1", {})).toMatch(/^ControlPlaneUnreachable: .*SELF_SIGNED_CERT/);
    expect(served).toBe(0);
  });

  it("takes it once its authority is in NODE_EXTRA_CA_CERTS, and only for the name it was made for", async () => {
    const variables = { NODE_EXTRA_CA_CERTS: file("test-only.cert.pem") };
    expect(await ask("127.0.0.1", variables)).toBe(deploymentAnswer.release);
    expect(await ask("localhost", variables)).toMatch(/^ControlPlaneUnreachable: .*ERR_TLS_CERT_ALTNAME_INVALID/);
    expect(served).toBe(1);
  });
});
