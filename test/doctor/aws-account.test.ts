import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { awsAccount } from "../../infra/doctor/account/aws-account.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

type Said = { readonly status?: number; readonly body: string };

/** CloudFormation, IAM and Lambda on loopback, with answers written by hand; `asked` is the Action, or the path. */
async function account(say: (asked: string) => Said) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const action = new URLSearchParams(Buffer.concat(chunks).toString()).get("Action");
    const { status = 200, body } = say(action ?? request.url ?? "");
    const isJson = body.startsWith("{");
    response.writeHead(status, { "content-type": isJson ? "application/json" : "text/xml" });
    response.end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return awsAccount({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: "eu-west-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
}

const answer = (action: string, inner: string) =>
  `<${action}Response><${action}Result>${inner}</${action}Result></${action}Response>`;
const error = (code: string, message: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
const times = "<CreationTime>2026-09-05T12:00:00Z</CreationTime>";

test("a stack is its status, its parameters and its outputs", async () => {
  const pair = (kind: string, key: string, value: string) =>
    `<member><${kind}Key>${key}</${kind}Key><${kind}Value>${value}</${kind}Value></member>`;
  const stack =
    `<Stacks><member><StackName>drover</StackName>${times}<StackStatus>UPDATE_COMPLETE</StackStatus>` +
    `<Parameters>${pair("Parameter", "Mode", "act")}</Parameters>` +
    `<Outputs>${pair("Output", "TableName", "drover-Table")}</Outputs></member></Stacks>`;
  const { stack: look } = await account(() => ({ body: answer("DescribeStacks", stack) }));
  expect(await look("drover")).toEqual({
    name: "drover",
    status: "UPDATE_COMPLETE",
    parameters: { Mode: "act" },
    outputs: { TableName: "drover-Table" },
  });
});

test("a stack that does not exist is none, and a refusal is not taken for one", async () => {
  const missing = error("ValidationError", "Stack with id drover does not exist");
  expect(await (await account(() => ({ status: 400, body: missing }))).stack("drover")).toBeUndefined();
  const denied = error("AccessDenied", "You may not.");
  await expect((await account(() => ({ status: 403, body: denied }))).stack("drover")).rejects.toThrow("You may not.");
});

test("a trust policy comes decoded, whatever the role's path", async () => {
  const policy = {
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" } }],
  };
  const role =
    "<Role><Path>/zoomies/</Path><RoleName>host</RoleName><RoleId>AROA</RoleId><Arn>arn:aws:iam::1:role/zoomies/host</Arn>" +
    `<CreateDate>2026-09-05T12:00:00Z</CreateDate><AssumeRolePolicyDocument>${encodeURIComponent(JSON.stringify(policy))}</AssumeRolePolicyDocument></Role>`;
  const { trustPolicy } = await account((asked) => ({ body: asked === "GetRole" ? answer("GetRole", role) : "" }));
  expect(await trustPolicy("arn:aws:iam::123456789012:role/zoomies/host")).toEqual({ value: policy });
});

test("the executions that are not reserved are told, and a refusal is why they are not", async () => {
  const settings = JSON.stringify({ AccountLimit: { ConcurrentExecutions: 10, UnreservedConcurrentExecutions: 9 } });
  expect(await (await account(() => ({ body: settings }))).concurrency()).toEqual({ value: 9 });
  const denied = await account(() => ({ status: 403, body: '{"Message":"You may not."}' }));
  expect(await denied.concurrency()).toEqual({ unread: expect.stringContaining("You may not.") });
});
