import { readFileSync } from "node:fs";
import { NO_VALUE, resolve, type Scope } from "./cloudformation/intrinsics.ts";
import { templateResources } from "./cloudformation/resources.ts";
import { type Place, type Section, section } from "./cloudformation/scope.ts";
import { type LocalQueueing, queueingOf } from "./template-queues.ts";

/** `iam`: only requests that somebody signed with AWS credentials come through. */
type Route = { method: string; path: string; iam?: true };

type Schedule = { expression: string; input: string | undefined };

/** One function of the template, with its environment as the deployed function would see it. */
export type LocalFunction = {
  id: string;
  name: string;
  /** The module's name under functions/, without its ending. */
  module: string;
  exportName: string;
  timeoutSeconds: number;
  memoryMegabytes: number;
  environment: Readonly<Record<string, string>>;
  routes: readonly Route[];
  schedules: readonly Schedule[];
};

export type LocalTable = { id: string; name: string; properties: Section };

type LocalSecret = { id: string; name: string; arn: string };

export type LocalTemplate = {
  functions: readonly LocalFunction[];
  tables: readonly LocalTable[];
  secrets: readonly LocalSecret[];
  queueing: LocalQueueing;
};

/**
 * What the local world takes from template.yaml: functions with their routes, schedules, timeout and resolved
 * environment, tables and secrets. Other resources are left alone. Throws with the resource's name when something
 * that it needs cannot be read or resolved.
 */
export function readTemplate(
  file: string,
  place: Place,
  parameters: Readonly<Record<string, string>> = {},
): LocalTemplate {
  return parseTemplate(readFileSync(file, "utf8"), place, parameters);
}

/** The same, from the template's text. */
export function parseTemplate(
  text: string,
  place: Place,
  parameters: Readonly<Record<string, string>> = {},
): LocalTemplate {
  const resources = templateResources(text, place, parameters);
  const { scope, globals } = resources;

  const functions: LocalFunction[] = [];
  const tables: LocalTable[] = [];
  const secrets: LocalSecret[] = [];
  for (const { id, type, properties } of resources.all) {
    named(id, () => {
      switch (type) {
        case "AWS::Serverless::Function":
          functions.push(localFunction(id, properties, globals, scope));
          break;
        case "AWS::DynamoDB::Table":
          tables.push({ id, name: String(scope.ref(id)), properties: resolve(properties, scope) as Section });
          break;
        case "AWS::SecretsManager::Secret":
          secrets.push({ id, name: secretName(id, properties, place, scope), arn: String(scope.ref(id)) });
          break;
      }
    });
  }
  return { functions, tables, secrets, queueing: queueingOf(resources) };
}

function localFunction(id: string, own: Section, globals: Section, scope: Scope): LocalFunction {
  const handler = String(resolve(own["Handler"] ?? globals["Handler"], scope));
  const [, module, exportName] = /^(?:.*\/)?([^/.]+)\.([^.]+)$/.exec(handler) ?? [];
  if (module === undefined || exportName === undefined) {
    throw new Error(`Handler must be <file>.<export>, but is ${JSON.stringify(handler)}.`);
  }
  const variables = {
    ...section(section(globals, "Environment"), "Variables"),
    ...section(section(own, "Environment"), "Variables"),
  };
  const events = Object.values(section(own, "Events")).map((event) => eventOf(event as Section));
  return {
    id,
    name: String(scope.ref(id)),
    module,
    exportName,
    // Lambda's own defaults: 3 seconds, 128 MB.
    timeoutSeconds: Number(resolve(own["Timeout"] ?? globals["Timeout"] ?? 3, scope)),
    memoryMegabytes: Number(resolve(own["MemorySize"] ?? globals["MemorySize"] ?? 128, scope)),
    environment: environmentOf(variables, scope),
    routes: events.flatMap((event) => routesOf(event, scope)),
    schedules: events.flatMap((event) => schedulesOf(event, scope)),
  };
}

function environmentOf(variables: Section, scope: Scope): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    named(name, () => {
      const resolved = resolve(value, scope);
      if (resolved !== NO_VALUE) environment[name] = String(resolved);
    });
  }
  return environment;
}

const eventTypes = new Set(["HttpApi", "Schedule", "ScheduleV2"]);

function eventOf(event: Section): Section {
  if (eventTypes.has(String(event["Type"]))) return event;
  throw new Error(`The local world has no events of type ${event["Type"]}.`);
}

function routesOf(event: Section, scope: Scope): Route[] {
  if (event["Type"] !== "HttpApi") return [];
  const { Method, Path, Auth } = resolve(section(event, "Properties"), scope) as {
    Method?: string;
    Path?: string;
    Auth?: { Authorizer?: string };
  };
  if (Method === undefined || Path === undefined) throw new Error("An HttpApi event needs a Method and a Path.");
  const authorizer = Auth?.Authorizer;
  if (authorizer !== undefined && authorizer !== "AWS_IAM") {
    throw new Error(`The local world has no authorizer ${authorizer}.`);
  }
  return [{ method: Method.toUpperCase(), path: Path, ...(authorizer === undefined ? {} : { iam: true }) }];
}

function schedulesOf(event: Section, scope: Scope): Schedule[] {
  if (event["Type"] !== "Schedule" && event["Type"] !== "ScheduleV2") return [];
  const properties = section(event, "Properties");
  const expression = resolve(properties["ScheduleExpression"] ?? properties["Schedule"], scope);
  if (typeof expression !== "string") throw new Error("A schedule event needs a ScheduleExpression.");
  const input = properties["Input"] === undefined ? undefined : String(resolve(properties["Input"], scope));
  return resolve(properties["State"] ?? "ENABLED", scope) === "DISABLED" ? [] : [{ expression, input }];
}

function secretName(id: string, properties: Section, place: Place, scope: Scope): string {
  return properties["Name"] === undefined ? `${place.stack}-${id}` : String(resolve(properties["Name"], scope));
}

function named(what: string, read: () => void): void {
  try {
    read();
  } catch (error) {
    throw new Error(`${what} in the template: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
