import type { AwsError } from "./aws-error.ts";

export interface Page<T> {
  readonly items: readonly T[];
  readonly nextToken?: string;
}

/**
 * One page of a listing. A token remembers the key after which the next page begins, so that what appears or goes between two
 * pages neither repeats nor hides anything else.
 */
export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  size: number,
  token: string | undefined,
  invalidToken: AwsError,
): Page<T> {
  const sorted = [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const after = token === undefined || token === "" ? undefined : readToken(token, invalidToken);
  const rest = after === undefined ? sorted : sorted.filter((item) => keyOf(item) > after);
  const page = rest.slice(0, size);
  const last = page.at(-1);
  if (rest.length <= size || last === undefined) return { items: page };
  return { items: page, nextToken: Buffer.from(JSON.stringify({ after: keyOf(last) })).toString("base64url") };
}

function readToken(token: string, invalidToken: AwsError): string {
  try {
    const { after } = JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as { after?: unknown };
    if (typeof after === "string") return after;
  } catch {
    // Not one of ours: the same answer as for a token of another listing.
  }
  throw invalidToken;
}
