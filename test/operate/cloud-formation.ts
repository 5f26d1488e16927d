import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** CloudFormation on loopback that knows one stack, whose output TableName is this table. */
export async function startCloudFormation(stack: string, table: string) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const isKnown = new URLSearchParams(Buffer.concat(chunks).toString()).get("StackName") === stack;
    response.writeHead(isKnown ? 200 : 400, { "content-type": "text/xml" });
    response.end(isKnown ? described(stack, table) : unknown);
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

const described = (stack: string, table: string) =>
  `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>${stack}</StackName>` +
  "<CreationTime>2026-09-05T12:00:00Z</CreationTime><StackStatus>CREATE_COMPLETE</StackStatus>" +
  `<Outputs><member><OutputKey>TableName</OutputKey><OutputValue>${table}</OutputValue></member></Outputs>` +
  "</member></Stacks></DescribeStacksResult></DescribeStacksResponse>";
const unknown =
  "<ErrorResponse><Error><Type>Sender</Type><Code>ValidationError</Code><Message>Stack with id x does not exist</Message></Error></ErrorResponse>";
