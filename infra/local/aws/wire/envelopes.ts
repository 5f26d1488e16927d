import type { AwsError } from "../aws-error.ts";
import type { Shape } from "./shapes.ts";
import { escapeXml, writeMembers } from "./xml.ts";

/** An HTTP answer before it is sent. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const autoScalingNamespace = "http://autoscaling.amazonaws.com/doc/2011-01-01/";
const ec2Namespace = "http://ec2.amazonaws.com/doc/2016-11-15/";
const xmlType = "text/xml;charset=UTF-8";

export function autoScalingAnswer(operation: string, shape: Shape, output: object, requestId: string): WireAnswer {
  const result = `<${operation}Result>${writeMembers(shape, output)}</${operation}Result>`;
  const metadata = `<ResponseMetadata><RequestId>${requestId}</RequestId></ResponseMetadata>`;
  const body = `<${operation}Response xmlns="${autoScalingNamespace}">${result}${metadata}</${operation}Response>`;
  return { status: 200, headers: { "content-type": "text/xml", "x-amzn-requestid": requestId }, body };
}

export function autoScalingError(error: AwsError, requestId: string): WireAnswer {
  const type = error.fault === "server" ? "Receiver" : "Sender";
  const inner = `<Type>${type}</Type><Code>${error.code}</Code><Message>${escapeXml(error.message)}</Message>`;
  const body = `<ErrorResponse xmlns="${autoScalingNamespace}"><Error>${inner}</Error><RequestId>${requestId}</RequestId></ErrorResponse>`;
  return { status: error.httpStatus, headers: { "content-type": "text/xml", "x-amzn-requestid": requestId }, body };
}

export function ec2Answer(operation: string, shape: Shape, output: object, requestId: string): WireAnswer {
  const inner = `<requestId>${requestId}</requestId>${writeMembers(shape, output)}`;
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<${operation}Response xmlns="${ec2Namespace}">${inner}</${operation}Response>`;
  return { status: 200, headers: { "content-type": xmlType, "x-amzn-requestid": requestId }, body };
}

export function ec2Error(error: AwsError, requestId: string): WireAnswer {
  const inner = `<Error><Code>${error.code}</Code><Message>${escapeXml(error.message)}</Message></Error>`;
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors>${inner}</Errors><RequestID>${requestId}</RequestID></Response>`;
  return { status: error.httpStatus, headers: { "content-type": xmlType, "x-amzn-requestid": requestId }, body };
}

/** AWS JSON carries times as seconds since the epoch. */
export function jsonAnswer(version: "1.0" | "1.1", output: object, requestId: string): WireAnswer {
  const body = JSON.stringify(withEpochSeconds(output));
  return { status: 200, headers: jsonHeaders(version, requestId), body };
}

export function jsonError(version: "1.0" | "1.1", error: AwsError, requestId: string): WireAnswer {
  const type = version === "1.0" ? `com.amazonaws.dynamodb.v20120810#${error.code}` : error.code;
  const body = JSON.stringify({ __type: type, [version === "1.0" ? "message" : "Message"]: error.message });
  const headers = { ...jsonHeaders(version, requestId), "x-amzn-errortype": error.code };
  return { status: error.httpStatus, headers, body };
}

function jsonHeaders(version: string, requestId: string): Record<string, string> {
  return { "content-type": `application/x-amz-json-${version}`, "x-amzn-requestid": requestId };
}

function withEpochSeconds(value: unknown): unknown {
  if (value instanceof Date) return value.getTime() / 1000;
  if (Array.isArray(value)) return value.map(withEpochSeconds);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withEpochSeconds(inner)]));
}
