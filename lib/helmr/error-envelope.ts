import { ControlPlaneError, ControlPlaneUnauthorized } from "./control-plane.ts";

/** What a status means when its body does not say (helmr-notes 1). */
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
  504: "gateway_timeout",
};

const knownForm = /^[a-z][a-z0-9_]{0,63}$/;
const longestMessage = 300;

/**
 * The error that a non-2xx answer stands for. A body that is no envelope (a proxy's page) still gives one, with the
 * status' own code. `secret` is cut out of the peer's text, should it ever echo what we sent.
 */
export function errorAnswer(status: number, body: string, secret: string): ControlPlaneError {
  const { code, message } = envelope(body);
  const ownCode = defaultCodes[status] ?? (status >= 500 ? "internal_error" : "bad_request");
  const named = typeof code === "string" && knownForm.test(code) ? code : ownCode;
  const said = typeof message === "string" ? `: ${shown(message, secret)}` : ".";
  const sentence = `The Control Plane answered ${status} ${named}${said}`;
  // A 401 concerns the token whatever its code says.
  return status === 401
    ? new ControlPlaneUnauthorized(status, named, sentence)
    : new ControlPlaneError(status, named, sentence);
}

function envelope(body: string): { readonly code?: unknown; readonly message?: unknown } {
  try {
    const parsed: unknown = JSON.parse(body);
    const error: unknown = (parsed as { readonly error?: unknown } | null)?.error;
    return typeof error === "object" && error !== null ? error : {};
  } catch {
    return {};
  }
}

function shown(message: string, secret: string): string {
  return message
    .replaceAll(secret, "[token]")
    .replace(/\p{Cc}/gu, " ")
    .slice(0, longestMessage);
}
