import type { Query } from "../operations/operation.ts";

/** The query of a URL or path, each parameter with all its values in order. */
export function queryOf(url: string): Query {
  const query = new Map<string, string[]>();
  const start = url.indexOf("?");
  if (start < 0) return query;
  for (const [name, value] of new URLSearchParams(url.slice(start + 1))) {
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}
