import type { AddressInfo } from "node:net";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import dynalite from "dynalite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCloud } from "../../../infra/local/aws/cloud.ts";
import { createFaults, type Faults } from "../../../infra/local/aws/faults.ts";
import { startAwsServer } from "../../../infra/local/aws/server.ts";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";
import { refusal, startOfTest } from "./ways.ts";

const errorsGuide = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html";
const conditionGuide =
  "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/WorkingWithItems.html#WorkingWithItems.ConditionalUpdate";

describe("DynamoDB behind the same endpoint", () => {
  let faults: Faults;
  let client: DynamoDBClient;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const database = dynalite({ createTableMs: 0 });
    await new Promise<void>((resolve) => database.listen(0, "127.0.0.1", resolve));
    faults = createFaults();
    const cloud = createCloud({ clock: new ManualClock(startOfTest) });
    const server = await startAwsServer({
      cloud,
      faults,
      dynamodb: { port: (database.address() as AddressInfo).port },
    });
    client = new DynamoDBClient({
      endpoint: server.url,
      region: "eu-central-1",
      credentials: { accessKeyId: "AKIAONE", secretAccessKey: "not-a-secret" },
      maxAttempts: 1,
    });
    close = async () => {
      client.destroy();
      await server.close();
      await new Promise<void>((resolve) => database.close(() => resolve()));
    };
    const key = [{ AttributeName: "pk", KeyType: "HASH" as const }];
    const attributes = [{ AttributeName: "pk", AttributeType: "S" as const }];
    await client.send(
      new CreateTableCommand({
        TableName: "ledger",
        KeySchema: key,
        AttributeDefinitions: attributes,
        BillingMode: "PAY_PER_REQUEST",
      }),
    );
    for (let status = ""; status !== "ACTIVE"; ) {
      status = (await client.send(new DescribeTableCommand({ TableName: "ledger" }))).Table?.TableStatus ?? "";
    }
    faults.reset();
  });

  afterEach(() => close());

  const put = () =>
    client.send(
      new PutItemCommand({
        TableName: "ledger",
        Item: { pk: { S: "ä<&" }, n: { N: "1" } },
        ConditionExpression: "attribute_not_exists(pk)",
      }),
    );
  const read = async () => {
    const answer = await client.send(
      new GetItemCommand({ TableName: "ledger", Key: { pk: { S: "ä<&" } }, ConsistentRead: true }),
    );
    return answer.Item;
  };

  test(`a write and a read pass through unchanged, and a failed condition keeps its name (${conditionGuide})`, async () => {
    await put();
    expect(await read()).toEqual({ pk: { S: "ä<&" }, n: { N: "1" } });
    expect(await refusal(put())).toMatchObject({ name: "ConditionalCheckFailedException", status: 400 });
    expect(faults.calls.map((call) => `${call.operation} ${call.caller} ${call.outcome}`)).toEqual([
      "PutItem AKIAONE ok",
      "GetItem AKIAONE ok",
      "PutItem AKIAONE ConditionalCheckFailedException",
    ]);
  });

  test("a reply lost after the effect leaves the item behind", async () => {
    faults.add({ on: "dynamodb:PutItem", at: { nth: 1 }, kind: "reply-lost" });
    await expect(put()).rejects.toThrow();
    expect(await read()).toBeDefined();
  });

  test("a reset before the effect leaves nothing behind", async () => {
    faults.add({ on: "dynamodb:PutItem", kind: "reset" });
    await expect(put()).rejects.toThrow();
    expect(await read()).toBeUndefined();
  });

  test(`throttling has the code that the SDK repeats (${errorsGuide})`, async () => {
    faults.add({ on: "dynamodb:*", at: { next: 1 }, kind: "throttle" });
    expect(await refusal(put())).toMatchObject({ name: "ThrottlingException", status: 400 });
    await put();
  });

  test("a killed caller has no further effect", async () => {
    faults.add({ on: "dynamodb:PutItem", caller: "AKIAONE", kind: "kill", moment: "after" });
    await expect(put()).rejects.toThrow();
    await expect(read()).rejects.toThrow();
    faults.clear();
    expect(await read()).toBeDefined();
  });
});
