import { createRequire } from "node:module";
import { build } from "esbuild";
import { beforeAll, expect, test } from "vitest";
import { bundleOptions } from "../../infra/build/bundle-function.ts";
import { root } from "../../infra/build/entry-points.ts";
import { noModelledErrors, withoutErrors } from "../../infra/build/no-modelled-errors.ts";

type Ask = (
  client: string,
  status: number,
  headers: Record<string, string>,
  body: string,
) => Promise<Record<string, unknown>>;

/** Answers one call of each client with the given HTTP answer, and gives the error that comes out. */
const source = `
  import { Readable } from "node:stream";
  import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
  import { AutoScalingClient, SetDesiredCapacityCommand } from "@aws-sdk/client-auto-scaling";
  import { SecretsManagerClient, GetSecretValueCommand } from "@aws-sdk/client-secrets-manager";
  export async function ask(client, statusCode, headers, body) {
    const requestHandler = { handle: async () => ({ response: { statusCode, headers, body: Readable.from([Buffer.from(body)]) } }) };
    const config = { region: "eu-west-1", maxAttempts: 1, credentials: { accessKeyId: "a", secretAccessKey: "b" }, requestHandler };
    try {
      if (client === "dynamodb") await new DynamoDBClient(config).send(new PutItemCommand({ TableName: "t", Item: {} }));
      if (client === "auto-scaling")
        await new AutoScalingClient(config).send(new SetDesiredCapacityCommand({ AutoScalingGroupName: "g", DesiredCapacity: 1 }));
      if (client === "secrets-manager") await new SecretsManagerClient(config).send(new GetSecretValueCommand({ SecretId: "s" }));
    } catch (error) {
      const { name, message, $fault, $metadata } = error;
      return { name, message, $fault, status: $metadata?.httpStatusCode, isError: error instanceof Error };
    }
    return {};
  }
`;

async function asked(withPlugin: boolean): Promise<Ask> {
  const plugins = bundleOptions.plugins.filter((plugin) => withPlugin || plugin !== noModelledErrors);
  const { outputFiles } = await build({ ...bundleOptions, plugins, stdin: { contents: source, resolveDir: root } });
  const module = { exports: {} as { ask: Ask } };
  new Function("module", "exports", "require", outputFiles?.[0]?.text ?? "")(
    module,
    module.exports,
    createRequire(import.meta.url),
  );
  return module.exports.ask;
}

let bare: Ask;
let modelled: Ask;
beforeAll(async () => {
  [bare, modelled] = await Promise.all([asked(true), asked(false)]);
});

const json = { "content-type": "application/x-amz-json-1.0" };
const coral = (code: string) =>
  JSON.stringify({ __type: `com.amazonaws.service#${code}`, message: "why", Message: "why" });
const xml = (code: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>why</Message></Error><RequestId>r</RequestId></ErrorResponse>`;

test.each([
  ["dynamodb", 400, json, coral("ConditionalCheckFailedException")],
  ["dynamodb", 400, json, coral("ProvisionedThroughputExceededException")],
  ["dynamodb", 400, json, coral("ThrottlingException")],
  ["dynamodb", 400, json, coral("AccessDeniedException")],
  ["dynamodb", 500, json, coral("InternalServerError")],
  ["secrets-manager", 400, json, coral("ResourceNotFoundException")],
  ["secrets-manager", 400, json, coral("DecryptionFailure")],
  ["auto-scaling", 400, { "content-type": "text/xml" }, xml("ValidationError")],
  ["auto-scaling", 400, { "content-type": "text/xml" }, xml("Throttling")],
  ["auto-scaling", 400, { "content-type": "text/xml" }, xml("ScalingActivityInProgress")],
  ["auto-scaling", 500, { "content-type": "text/xml" }, xml("ResourceContention")],
] as const)(
  "%s answers %i: the error is told by its code, with and without a class of its own",
  async (client, status, headers, body) => {
    const without = await bare(client, status, { ...headers }, body);
    const as = await modelled(client, status, { ...headers }, body);
    // Auto Scaling's class has a longer name than its code; error-codes.ts knows both.
    const name = String(as["name"]).replace(/Fault$/, "");
    expect(without).toMatchObject({ name, message: "why", status, isError: true });
    expect(without).toMatchObject({ $fault: status < 500 ? "client" : "server" });
  },
);

test("a client whose table no longer looks as expected is not silently left as it is", () => {
  const line = "n0_registry.registerError(LimitExceededFault$, LimitExceededFault);";
  expect(withoutErrors(`a\n${line}\nb`)).toBe("a\n\nb");
  expect(withoutErrors("_s_registry.registerError(Base$, Base);")).toBe("_s_registry.registerError(Base$, Base);");
});
