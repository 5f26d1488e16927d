import { account, region } from "./ministack.ts";

/**
 * Calls of the services for which the project has no client of the SDK. The key is the account's own, which MiniStack takes without a
 * signature; the functions' keys are their roles', and their signatures are checked.
 */
export interface AwsCalls {
  /** The query protocol; gives the XML. */
  query(service: string, version: string, action: string, parameters: Record<string, string>): Promise<string>;
  /** The JSON protocol. */
  json<T>(service: string, target: string, body: object): Promise<T>;
  /** REST with JSON; the answer of an empty one is undefined. */
  rest<T>(service: string, method: string, path: string, body?: object, headers?: Record<string, string>): Promise<T>;
}

/** An answer of 400 and more, with what it said. */
export class AwsRefused extends Error {
  override readonly name = "AwsRefused";
}

export function awsCalls(url: string): AwsCalls {
  const send = async (service: string, method: string, path: string, headers: object, body?: string) => {
    const day = new Date().toISOString().slice(0, 10).replaceAll("-", "");
    const credential = `${account}/${day}/${region}/${service}/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=none`;
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...headers, authorization },
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new AwsRefused(`${service} ${method} ${path} answered ${answer.status}: ${text}`);
    return text;
  };
  const parsed = <T>(text: string) => (text === "" ? undefined : JSON.parse(text)) as T;
  return {
    query: (service, version, action, parameters) =>
      send(
        service,
        "POST",
        "/",
        { "content-type": "application/x-www-form-urlencoded" },
        new URLSearchParams({ Action: action, Version: version, ...parameters }).toString(),
      ),
    json: async (service, target, body) =>
      parsed(
        await send(
          service,
          "POST",
          "/",
          { "content-type": "application/x-amz-json-1.1", "x-amz-target": target },
          JSON.stringify(body),
        ),
      ),
    rest: async (service, method, path, body, headers = {}) =>
      parsed(
        await send(
          service,
          method,
          path,
          { "content-type": "application/json", ...headers },
          body === undefined ? undefined : JSON.stringify(body),
        ),
      ),
  };
}
