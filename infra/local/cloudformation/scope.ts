import { NO_VALUE, resolve, type Scope } from "./intrinsics.ts";

export type Section = Readonly<Record<string, unknown>>;

/** Where the stack is said to run. Names and ARNs of its resources are derived from these. */
export type Place = {
  stack: string;
  region: string;
  account: string;
  /** A secret's ARN ends in characters that only its creator knows; whoever created it says them. */
  secretArn?(name: string): string;
};

/**
 * The scope of one template: pseudo parameters, parameters (given, else their defaults), and resources under names
 * that follow CloudFormation's habit (`<stack>-<logical id>` unless the template names them).
 */
export function templateScope(template: Section, place: Place, given: Readonly<Record<string, string>>): Scope {
  const parameters = section(template, "Parameters");
  const resources = section(template, "Resources");
  const conditions = section(template, "Conditions");
  const mappings = section(template, "Mappings");
  const pseudo: Readonly<Record<string, unknown>> = {
    "AWS::StackName": place.stack,
    "AWS::Region": place.region,
    "AWS::AccountId": place.account,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackId": `arn:aws:cloudformation:${place.region}:${place.account}:stack/${place.stack}/local`,
    "AWS::NoValue": NO_VALUE,
  };

  function parameter(name: string): unknown {
    const { Type: type, Default: standard } = section(parameters, name);
    const value = given[name] ?? standard;
    if (value === undefined) throw new Error(`Parameter ${name} has no default in the template: give it a value.`);
    if (type !== "CommaDelimitedList") return value;
    return value === "" ? [] : String(value).split(",");
  }

  function resource(id: string): { type: string; name: string; arn: string | undefined } {
    const declared = section(resources, id);
    const type = String(declared["Type"]);
    const named = section(declared, "Properties")[NAME_PROPERTY[type] ?? ""];
    const name = named === undefined ? `${place.stack}-${id}` : String(resolve(named, scope));
    return { type, name, arn: ARN[type]?.(name, place) };
  }

  const scope: Scope = {
    ref(name) {
      if (Object.hasOwn(pseudo, name)) return pseudo[name];
      if (Object.hasOwn(parameters, name)) return parameter(name);
      if (!Object.hasOwn(resources, name))
        throw new Error(`The template refers to ${name}, which it does not declare.`);
      const { type, name: physical, arn } = resource(name);
      if (type === "AWS::SQS::Queue") return `https://sqs.${place.region}.amazonaws.com/${place.account}/${physical}`;
      return REF_IS_ARN.has(type) ? (arn ?? physical) : physical;
    },
    attribute(id, attribute) {
      if (!Object.hasOwn(resources, id)) throw new Error(`The template refers to ${id}, which it does not declare.`);
      const { type, name, arn } = resource(id);
      if (attribute === "Arn" && arn !== undefined) return arn;
      if (attribute === "QueueName" && type === "AWS::SQS::Queue") return name;
      throw new Error(`The local world does not know ${attribute} of ${id} (${type}).`);
    },
    condition(name) {
      if (!Object.hasOwn(conditions, name)) throw new Error(`The template has no condition ${name}.`);
      return resolve(conditions[name], scope) === true;
    },
    mapping(name, first, second) {
      const value = section(section(mappings, name), first)[second];
      if (value === undefined) throw new Error(`The template's mapping ${name} has no ${first}.${second}.`);
      return value;
    },
  };
  return scope;
}

/** A mapping of the template, empty when it is absent. */
export function section(of: Section, name: string): Section {
  const value = of[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Section) : {};
}

const NAME_PROPERTY: Readonly<Record<string, string>> = {
  "AWS::DynamoDB::Table": "TableName",
  "AWS::Serverless::Function": "FunctionName",
  "AWS::SecretsManager::Secret": "Name",
  "AWS::SQS::Queue": "QueueName",
  "AWS::Logs::LogGroup": "LogGroupName",
};

const ARN: Readonly<Record<string, (name: string, place: Place) => string>> = {
  "AWS::DynamoDB::Table": (name, at) => `arn:aws:dynamodb:${at.region}:${at.account}:table/${name}`,
  "AWS::Serverless::Function": (name, at) => `arn:aws:lambda:${at.region}:${at.account}:function:${name}`,
  "AWS::SecretsManager::Secret": (name, at) =>
    at.secretArn?.(name) ?? `arn:aws:secretsmanager:${at.region}:${at.account}:secret:${name}-Lk4qZ2`,
  "AWS::SQS::Queue": (name, at) => `arn:aws:sqs:${at.region}:${at.account}:${name}`,
  "AWS::SNS::Topic": (name, at) => `arn:aws:sns:${at.region}:${at.account}:${name}`,
  "AWS::Logs::LogGroup": (name, at) => `arn:aws:logs:${at.region}:${at.account}:log-group:${name}:*`,
  "AWS::Events::Rule": (name, at) => `arn:aws:events:${at.region}:${at.account}:rule/${name}`,
  "AWS::IAM::Role": (name, at) => `arn:aws:iam::${at.account}:role/${name}`,
  "AWS::IAM::ManagedPolicy": (name, at) => `arn:aws:iam::${at.account}:policy/${name}`,
};

/** `Ref` of these is their ARN and not their name (CloudFormation's resource reference, "Return values"). */
const REF_IS_ARN = new Set(["AWS::SecretsManager::Secret", "AWS::SNS::Topic", "AWS::IAM::ManagedPolicy"]);
