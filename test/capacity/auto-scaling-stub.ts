import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";

/** One answer: XML members of the result, or an error's code. */
export type StubAnswer = { readonly result: string } | { readonly code: string; readonly status: number } | "hang up";

export interface AutoScalingStub {
  readonly client: AutoScalingClient;
  /** What was asked, as the parameters of each request. */
  readonly requests: URLSearchParams[];
  close(): Promise<void>;
}

/** Auto Scaling's query protocol on loopback with answers written by hand, for what no true service would say. */
export async function startAutoScalingStub(answer: (request: URLSearchParams) => StubAnswer): Promise<AutoScalingStub> {
  const requests: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const parameters = new URLSearchParams(Buffer.concat(chunks).toString());
    requests.push(parameters);
    const given = answer(parameters);
    if (given === "hang up") {
      request.socket.destroy();
      return;
    }
    const action = parameters.get("Action");
    response.setHeader("content-type", "text/xml");
    if ("code" in given) {
      response.statusCode = given.status;
      response.end(
        `<ErrorResponse><Error><Type>Sender</Type><Code>${given.code}</Code><Message>No.</Message></Error></ErrorResponse>`,
      );
      return;
    }
    response.end(`<${action}Response><${action}Result>${given.result}</${action}Result></${action}Response>`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new AutoScalingClient({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: "eu-central-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 1,
  });
  return {
    client,
    requests,
    async close() {
      client.destroy();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A group's XML; `inner` comes before the closing tag. */
export function groupXml(name: string, tags: Record<string, string>, inner = ""): string {
  const members = Object.entries(tags).map(
    ([key, value]) => `<member><Key>${key}</Key><Value>${value}</Value></member>`,
  );
  return (
    `<member><AutoScalingGroupName>${name}</AutoScalingGroupName><MinSize>0</MinSize><MaxSize>9</MaxSize>` +
    `<DesiredCapacity>2</DesiredCapacity><NewInstancesProtectedFromScaleIn>true</NewInstancesProtectedFromScaleIn>` +
    `<Tags>${members.join("")}</Tags>${inner}</member>`
  );
}

export const page = (groups: readonly string[], next?: string): StubAnswer => ({
  result: `<AutoScalingGroups>${groups.join("")}</AutoScalingGroups>${next === undefined ? "" : `<NextToken>${next}</NextToken>`}`,
});
