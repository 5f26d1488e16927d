/** Who is to blame, in AWS's words: `client` is answered with 4xx, `server` with 5xx. */
export type Fault = "client" | "server";

/** An AWS service error before any protocol wraps it; `code` is the code on the wire. */
export class AwsError extends Error {
  readonly code: string;
  readonly httpStatus: number;
  readonly fault: Fault;

  constructor(code: string, message: string, httpStatus = 400) {
    super(message);
    this.name = code;
    this.code = code;
    this.httpStatus = httpStatus;
    this.fault = httpStatus >= 500 ? "server" : "client";
  }
}

/** Auto Scaling's answer to a request that it understands and cannot accept. */
export function validationError(message: string): AwsError {
  return new AwsError("ValidationError", message);
}
