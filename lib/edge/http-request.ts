import type { APIGatewayProxyEventV2 } from "aws-lambda";

/** Largest body Drover reads, in bytes: the contract's sample receiver caps at 64 KiB, and no peer sends more. */
export const maxBodyBytes = 64 * 1024;

/**
 * The exact bytes the sender signed. API Gateway hands text bodies over as a string and everything else as base64 with a
 * flag; a signature is over the decoded bytes, never over the event's text (cases.md 1).
 */
export function rawBody(event: Pick<APIGatewayProxyEventV2, "body" | "isBase64Encoded">): Buffer {
  return Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
}

/**
 * One header's value, its name in any case; undefined when it is absent. A header sent twice arrives as one value joined
 * by commas (API Gateway payload 2.0) or under two spellings: both come back joined, so that no check can pass by
 * looking at one of them.
 */
export function header(headers: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const values = Object.entries(headers)
    .filter(([key, value]) => key.toLowerCase() === wanted && value !== undefined)
    .map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(",");
}
