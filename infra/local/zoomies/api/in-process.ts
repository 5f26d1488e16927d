import type { HttpCall, HttpReply, HttpSend } from "../../../../lib/edge/http-call.ts";
import type { ApiAnswer, ApiRequest } from "./answer.ts";
import type { ApiFaults } from "./faults.ts";
import type { ApiAnswers } from "./router.ts";

const base = "/api/v1";

/** The API without sockets, where an HTTP client would send. Rejects where nobody hears an answer. */
export function inProcessSend(api: ApiAnswers, faults: ApiFaults, wait: (ms: number) => Promise<void>): HttpSend {
  return async (call) => {
    const request = requestOf(call);
    const answer = await faults.perform(api.route(request), () => api.answer(request), wait);
    return replyOf(answer);
  };
}

function requestOf({ method, url, headers, body }: HttpCall): ApiRequest {
  const path = url.pathname.startsWith(base) ? url.pathname.slice(base.length) : "/nowhere";
  const json: unknown = body === undefined ? undefined : JSON.parse(body);
  return { method, path, query: url.searchParams, headers, body: json };
}

function replyOf({ status, body, headers = {} }: ApiAnswer): HttpReply {
  return { status, headers, body: Buffer.from(body === undefined ? "" : JSON.stringify(body)) };
}
