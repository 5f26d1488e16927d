import { AwsError } from "../aws-error.ts";
import type { ServiceName } from "../service-codes.ts";
import type { WireAnswer } from "./envelopes.ts";
import { autoScalingAnswer, autoScalingError, ec2Answer, ec2Error, jsonAnswer, jsonError } from "./envelopes.ts";
import { readQuery } from "./query.ts";
import type { WireRequest } from "./request.ts";
import { type OperationModel, operationModel } from "./shapes.ts";

/** A request with its parameters read, and the way to write its answer in its own protocol. */
export interface Parsed {
  readonly input: object;
  write(output: object, requestId: string): WireAnswer;
}

/** Reads the parameters by the protocol of the service. Throws AwsError for an action that AWS does not have. */
export async function parse(request: WireRequest): Promise<Parsed> {
  const { service, operation } = request;
  if (service === "dynamodb" || service === "secretsmanager") {
    const input = readJson(request.body);
    return { input, write: (output, id) => jsonAnswer(service === "dynamodb" ? "1.0" : "1.1", output, id) };
  }
  const model = await operationModel(service, operation);
  if (model === undefined) throw unknownAction(service, operation);
  return query(service, operation, model, request.body);
}

function query(service: "auto-scaling" | "ec2", operation: string, model: OperationModel, body: Buffer): Parsed {
  const isEc2 = service === "ec2";
  const parameters = new URLSearchParams(body.toString("utf8"));
  return {
    input: readQuery(parameters, model.input, isEc2 ? "ec2Query" : "awsQuery"),
    write: (output, id) => (isEc2 ? ec2Answer : autoScalingAnswer)(operation, model.output, output, id),
  };
}

function readJson(body: Buffer): object {
  try {
    const value: unknown = JSON.parse(body.toString("utf8") || "{}");
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Answered below, like any other body that is no object.
  }
  throw new AwsError("SerializationException", "The request body is not a JSON object.");
}

function unknownAction(service: ServiceName, operation: string): AwsError {
  return new AwsError("InvalidAction", `The action ${operation} is not valid for ${service}.`);
}

export function writeError(service: ServiceName, error: AwsError, requestId: string): WireAnswer {
  switch (service) {
    case "auto-scaling":
      return autoScalingError(error, requestId);
    case "ec2":
      return ec2Error(error, requestId);
    case "dynamodb":
      return jsonError("1.0", error, requestId);
    case "secretsmanager": {
      const isUnknown = error.code === "InvalidAction";
      return jsonError("1.1", isUnknown ? new AwsError("UnknownOperationException", "") : error, requestId);
    }
  }
}
