import type { AwsCalls } from "./aws-call.ts";

/** What an account that had nothing before a stack must not have after it, by kind. Lists that the service leaves out are empty. */
export async function remainsOf(aws: AwsCalls): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const lists: Readonly<Record<string, () => Promise<unknown>>> = {
    TableNames: () => aws.json("dynamodb", "DynamoDB_20120810.ListTables", {}),
    Functions: () => aws.rest("lambda", "GET", "/2015-03-31/functions"),
    EventSourceMappings: () => aws.rest("lambda", "GET", "/2015-03-31/event-source-mappings"),
    items: () => aws.rest("apigateway", "GET", "/v2/apis"),
    Schedules: () => aws.rest("scheduler", "GET", "/schedules"),
    Rules: () => aws.json("events", "AWSEvents.ListRules", {}),
    QueueUrls: () => aws.json("sqs", "AmazonSQS.ListQueues", {}),
    SecretList: () => aws.json("secretsmanager", "secretsmanager.ListSecrets", {}),
    logGroups: () => aws.json("logs", "Logs_20140328.DescribeLogGroups", {}),
  };
  const found = await Promise.all(
    Object.entries(lists).map(async ([name, list]) => [
      name,
      ((await list()) as Record<string, unknown[]>)[name] ?? [],
    ]),
  );
  return Object.fromEntries(found) as Record<string, unknown[]>;
}
