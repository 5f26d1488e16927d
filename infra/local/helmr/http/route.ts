import { Refusal } from "../model/refusal.ts";
import { type OperationName, operationNames } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";

export const prefix = "/capacity/v1";

export interface Route {
  readonly name: OperationName;
  readonly params: Readonly<Record<string, string>>;
}

/** A path that exists, asked with another method. */
export class WrongMethod extends Refusal {
  readonly allow: string;

  constructor(allow: readonly string[]) {
    super(405, "the method is not allowed here");
    this.allow = allow.join(", ");
  }
}

const patterns = operationNames
  .map((name) => ({ name, method: operations[name].method, segments: operations[name].path.split("/") }))
  // Words before parameters, so that `pending` is not taken for a key.
  .sort((a, b) => parameters(a.segments) - parameters(b.segments));

/** The operation of a request; `path` is below the prefix. Throws 404, or 405 with the methods that there are. */
export function routeOf(method: string, path: string): Route {
  const segments = path.split("/");
  const matching = patterns.flatMap((pattern) => {
    const params = match(pattern.segments, segments);
    return params === undefined ? [] : [{ ...pattern, params }];
  });
  const found = matching.find((each) => each.method === method);
  if (found !== undefined) return { name: found.name, params: found.params };
  if (matching.length > 0) throw new WrongMethod([...new Set(matching.map((each) => each.method))]);
  throw new Refusal(404, "there is nothing here");
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? "";
    if (part.startsWith("{")) params[part.slice(1, -1)] = segment;
    else if (part !== segment) return undefined;
  }
  return params;
}

function parameters(segments: readonly string[]): number {
  return segments.filter((segment) => segment.startsWith("{")).length;
}
