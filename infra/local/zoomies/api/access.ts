import { ApiError, type ApiRequest } from "./answer.ts";

const roles = ["viewer", "operator", "admin", "platform"] as const;
export type Role = (typeof roles)[number];

/** What a token may do: its role and its scopes must both allow a call (notes 4). */
export type Access = { role: Role; scopes: readonly string[] };

export function authorize(
  request: ApiRequest,
  tokens: Readonly<Record<string, Access>>,
  role: Role,
  scope: string,
): void {
  const [, token] = /^Bearer (\S+)$/.exec(request.headers["authorization"] ?? "") ?? [];
  const access = token !== undefined && Object.hasOwn(tokens, token) ? tokens[token] : undefined;
  if (access === undefined) throw new ApiError(401, "unauthorized", "The token is missing or unknown.");
  const allowed = roles.indexOf(access.role) >= roles.indexOf(role) && isInScope(access.scopes, scope);
  if (!allowed) throw new ApiError(403, "forbidden", `The token needs the role ${role} and the scope ${scope}.`);
}

/** A scope on a resource implies reading it (notes 4). */
function isInScope(scopes: readonly string[], wanted: string): boolean {
  const [resource, verb] = wanted.split(":");
  return scopes.includes(wanted) || (verb === "read" && scopes.some((scope) => scope.startsWith(`${resource}:`)));
}
