import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";

/** A refusal as it leaves Drover: a distinct status, a stable code, and a sentence that names the fix. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** When asking again may help, in whole seconds: the header Retry-After. */
  readonly retryAfter?: number;
}

export function refuse(refusal: Refusal, headers: Record<string, string> = {}): APIGatewayProxyStructuredResultV2 {
  const { status, code, message, retryAfter } = refusal;
  const again = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return answerJson(status, { code, message }, { ...again, ...headers });
}

export function answerJson(
  status: number,
  value: Readonly<Record<string, unknown>>,
  headers: Record<string, string> = {},
): APIGatewayProxyStructuredResultV2 {
  return {
    statusCode: status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(value),
  };
}
