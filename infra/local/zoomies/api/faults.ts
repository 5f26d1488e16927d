import type { ApiAnswer } from "./answer.ts";

/** What goes wrong with one call. */
export type ApiFaultEffect =
  /** An error answer, and no effect. */
  | { kind: "error"; status: number; code?: string }
  /** Nobody answers, and nothing happened. */
  | { kind: "unreachable" }
  /** The effect happens and the connection breaks before the answer. */
  | { kind: "reply-lost" }
  /** The answer comes so many milliseconds late. */
  | { kind: "delay"; ms: number }
  /** The answer is another one than the API's. */
  | { kind: "odd"; distort(answer: ApiAnswer): ApiAnswer };

export type ApiFault = ApiFaultEffect & {
  /** `METHOD /path` with `{id}` for ids, such as `POST /hosts/{id}/cordon`; `*` for every call. */
  on: string;
  /** Which of the matching calls: every one (the default), or the n-th from now (1 is the next). */
  nth?: number;
};

/** The connection broke: nobody hears an answer. */
export class ApiUnheard extends Error {
  override readonly name = "ApiUnheard";
}

export type ApiFaults = {
  /** The answer takes the fault away again. */
  add(fault: ApiFault): () => void;
  clear(): void;
  /** Answers one call under the faults. Throws {@link ApiUnheard} where nobody hears an answer. */
  perform(route: string, answer: () => ApiAnswer, wait: (ms: number) => Promise<void>): Promise<ApiAnswer>;
};

export function apiFaults(): ApiFaults {
  const faults = new Set<{ fault: ApiFault; seen: number }>();
  const next = (route: string): ApiFault | undefined => {
    let found: ApiFault | undefined;
    for (const entry of faults) {
      if (entry.fault.on !== "*" && entry.fault.on !== route) continue;
      entry.seen += 1;
      if (found === undefined && (entry.fault.nth ?? entry.seen) === entry.seen) found = entry.fault;
    }
    return found;
  };
  return {
    add(fault) {
      const entry = { fault, seen: 0 };
      faults.add(entry);
      return () => faults.delete(entry);
    },
    clear: () => faults.clear(),
    async perform(route, answer, wait) {
      const fault = next(route);
      switch (fault?.kind) {
        case undefined:
          return answer();
        case "error": {
          const code = fault.code ?? "internal";
          return { status: fault.status, body: { error: { code, message: "Asked for.", field: "", detail: "" } } };
        }
        case "unreachable":
          throw new ApiUnheard("nobody answered");
        case "reply-lost":
          answer();
          throw new ApiUnheard("the reply was lost");
        case "delay": {
          const late = answer();
          await wait(fault.ms);
          return late;
        }
        case "odd":
          return fault.distort(answer());
      }
    },
  };
}
