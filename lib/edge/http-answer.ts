import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";

/** A refusal as it leaves Drover: a distinct status, a stable code, and a sentence that names the fix. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export function refuse(refusal: Refusal, headers: Record<string, string> = {}): APIGatewayProxyStructuredResultV2 {
  const { status, code, message } = refusal;
  return {
    statusCode: status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ code, message }),
  };
}
