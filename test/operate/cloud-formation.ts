import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

type Values = Readonly<Record<string, string>>;

/** CloudFormation on loopback that knows one stack, with what it tells of it. */
export async function startCloudFormation(stack: string, outputs: Values, parameters: Values = {}) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isKnown = new URLSearchParams(Buffer.concat(chunks).toString()).get("StackName") === stack;
    response.writeHead(isKnown ? 200 : 400, { "content-type": "text/xml" });
    response.end(isKnown ? described(stack, outputs, parameters) : unknown);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const list = (kind: string, values: Values) => {
  const members = Object.entries(values).map(
    ([key, value]) => `<member><${kind}Key>${key}</${kind}Key><${kind}Value>${value}</${kind}Value></member>`,
  );
  return `<${kind}s>${members.join("")}</${kind}s>`;
};
const described = (stack: string, outputs: Values, parameters: Values) =>
  `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${stack}</StackName>` +
  "<CreationTime>2026-09-05T12:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus>" +
  `${list("Output", outputs)}${list("Parameter", parameters)}` +
  "</member></Stacks></DescribeStacksResult></DescribeStacksResponse>";
const unknown =
  "<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id x does not exist</Message></Error></ErrorResponse>";
