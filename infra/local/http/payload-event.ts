import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2 } from "aws-lambda";

/** Where the API is said to live. */
export type ApiPlace = { apiId: string; account: string; region: string };

/**
 * The event that an HTTP API hands to a function (payload format 2.0; HTTP API developer guide, "Create AWS Lambda proxy
 * integrations"): lower-case header names, equal headers and query parameters joined with commas, cookies apart.
 */
export function payloadEvent(
  request: IncomingMessage,
  body: Buffer,
  routeKey: string,
  at: ApiPlace,
): APIGatewayProxyEventV2 {
  const url = request.url ?? "/";
  const question = url.indexOf("?");
  const rawPath = question < 0 ? url : url.slice(0, question);
  const rawQueryString = question < 0 ? "" : url.slice(question + 1);
  const { headers, cookies } = headersOf(request);
  const query = queryOf(rawQueryString);
  const isText = isTextBody(headers["content-type"]);
  const now = new Date();
  return {
    version: "2.0",
    routeKey,
    rawPath,
    rawQueryString,
    ...(cookies.length > 0 ? { cookies } : {}),
    headers,
    ...(query === undefined ? {} : { queryStringParameters: query }),
    requestContext: {
      accountId: at.account,
      apiId: at.apiId,
      domainName: `${at.apiId}.execute-api.${at.region}.amazonaws.com`,
      domainPrefix: at.apiId,
      http: {
        method: request.method ?? "GET",
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? "127.0.0.1",
        userAgent: headers["user-agent"] ?? "",
      },
      requestId: `${randomBytes(11).toString("base64url")}=`,
      routeKey,
      stage: "$default",
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 ? { body: body.toString(isText ? "utf8" : "base64") } : {}),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/**
 * Whether an HTTP API passes a body on as text; anything else, form fields and a missing content type included, arrives
 * in base64 (HTTP API developer guide, "Working with binary media types"). Bytes that are not UTF-8 do not survive as text.
 */
function isTextBody(contentType: string | undefined): boolean {
  const type = (contentType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return /^text\/|^application\/(?:json|xml|javascript|[\w.-]+\+(?:json|xml))$/.test(type);
}

const HOP_BY_HOP = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "expect"]);

function headersOf(request: IncomingMessage): { headers: Record<string, string>; cookies: string[] } {
  const headers: Record<string, string> = {};
  const cookies: string[] = [];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = (request.rawHeaders[index] ?? "").toLowerCase();
    const value = request.rawHeaders[index + 1] ?? "";
    if (name === "cookie") cookies.push(...value.split(/; */));
    else if (!HOP_BY_HOP.has(name)) headers[name] = headers[name] === undefined ? value : `${headers[name]},${value}`;
  }
  headers["x-amzn-trace-id"] = `Root=1-${randomBytes(4).toString("hex")}-${randomBytes(12).toString("hex")}`;
  headers["x-forwarded-for"] = request.socket.remoteAddress ?? "127.0.0.1";
  headers["x-forwarded-port"] = "443";
  headers["x-forwarded-proto"] = "https";
  return { headers, cookies };
}

function queryOf(raw: string): Record<string, string> | undefined {
  if (raw === "") return undefined;
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(raw)) {
    query[name] = query[name] === undefined ? value : `${query[name]},${value}`;
  }
  return query;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `05/Sep/2026:12:00:00 +0000` */
function commonLogTime(at: Date): string {
  const day = String(at.getUTCDate()).padStart(2, "0");
  return `${day}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}:${at.toISOString().slice(11, 19)} +0000`;
}
