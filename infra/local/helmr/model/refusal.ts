const defaultCodes: Readonly<Record<number, string>> = {
  400: "bad_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  410: "gone",
  413: "request_too_large",
  422: "unprocessable_entity",
  429: "rate_limited",
  500: "internal_error",
  502: "bad_gateway",
  503: "service_unavailable",
};

/** A non-2xx answer: the status, and the envelope's code, by default the status's own (helmr-notes 1). */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;

  constructor(status: number, message: string, code = defaultCodes[status] ?? "internal_error") {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export const badRequest = (message: string) => new Refusal(400, message);
export const notFound = (what: string) => new Refusal(404, `${what} not found`);
export const conflict = (message: string) => new Refusal(409, message);
