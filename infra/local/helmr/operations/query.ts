import { badRequest } from "../model/refusal.ts";
import type { Query } from "./operation.ts";
import { canonicalId, canonicalText } from "./request-fields.ts";

/** Throws 400 for a parameter that is unknown, or repeated where it is to be given once (helmr-notes 1). */
export function assertQuery(query: Query, allowed: Readonly<Record<string, "once" | "repeated">> = {}): void {
  for (const [name, values] of query) {
    const how = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (how === undefined) throw badRequest(`unknown query parameter ${name}`);
    if (how === "once" && values.length !== 1) throw badRequest(`${name} is repeated`);
  }
}

export function requiredText(query: Query, name: string): string {
  const value = query.get(name)?.[0];
  if (value === undefined) throw badRequest(`${name} is required`);
  return canonicalText(name, value);
}

export function optionalId(query: Query, name: string): string | undefined {
  const value = query.get(name)?.[0];
  return value === undefined ? undefined : canonicalId(name, value);
}
