import { request } from "node:http";
import { startGateway } from "../../infra/local/gateway.ts";
import { localFunctions } from "../../infra/local/lambda/functions.ts";
import { parseTemplate } from "../../infra/local/template.ts";

export const place = { stack: "echo", region: "eu-west-1", account: "123456789012" };

const echoTemplate = `
Resources:
  Echo:
    Type: AWS::Serverless::Function
    Properties:
      Handler: echo.handler
      Timeout: 1
      Environment: { Variables: { GREETING: !Sub "hello \${AWS::StackName}" } }
      Events:
        Say: { Type: HttpApi, Properties: { Method: post, Path: /say } }
        Tick: { Type: ScheduleV2, Properties: { ScheduleExpression: rate(1 minute) } }
`;

export type Reply = { status: number; headers: Record<string, string | string[] | undefined>; body: string };

/** A gateway in front of the echo function, and a way to post to it that hides nothing. */
export async function startEcho(concurrencyLimit = 1000) {
  const { functions: definitions } = parseTemplate(echoTemplate, place);
  const lines: string[] = [];
  const functions = localFunctions({
    definitions,
    folder: new URL("functions/", import.meta.url),
    shared: { AWS_ENDPOINT_URL: "http://127.0.0.1:9" },
    ...place,
    concurrencyLimit,
    onLine: (_, line) => lines.push(line),
  });
  const gateway = await startGateway(functions, { apiId: "local", ...place }, 0);
  const post = (
    body: string | Buffer,
    headers: Record<string, string | string[]> = {},
    path = "/say",
    method = "POST",
  ) =>
    new Promise<Reply>((resolve, reject) => {
      const sent = request(`${gateway.url}${path}`, { method, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.on("error", reject);
      sent.end(body);
    });
  return {
    functions,
    gateway,
    lines,
    post,
    async close() {
      functions.close();
      await gateway.close();
    },
  };
}
