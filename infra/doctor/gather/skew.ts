import type { AutoScalingClient } from "@aws-sdk/client-auto-scaling";

interface Dated {
  readonly headers?: Readonly<Record<string, string>>;
}

/** How far our clock is ahead of AWS's, from the Date header of the client's own answers, which has whole seconds. */
export function watchSkew(client: AutoScalingClient, now: () => number): () => Promise<number> {
  let skewMs: number | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const date = Date.parse((result.response as Dated | undefined)?.headers?.["date"] ?? "");
      if (!Number.isNaN(date)) skewMs = now() - date;
      return result;
    },
    { step: "deserialize", name: "droverClockSkew" },
  );
  return async () => {
    if (skewMs === undefined) throw new Error("no answer of AWS had a date");
    return skewMs;
  };
}
