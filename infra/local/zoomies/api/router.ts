import { endRunner, type Fleet, runnersOn } from "../fleet.ts";
import { mintJoinToken } from "../join-tokens.ts";
import { type Access, authorize, type Role } from "./access.ts";
import { type ApiAnswer, ApiError, type ApiRequest, conflict, notFound, page, unprocessable } from "./answer.ts";
import { goDuration } from "./go-duration.ts";
import { hostRow, jobRow, joinTokenRow, poolRow, runnerRow } from "./rows.ts";

/** Access by token text. */
export type ApiTokens = Readonly<Record<string, Access>>;

export type ApiParts = {
  fleet: Fleet;
  clock: { now(): number };
  random(): number;
  /** Lets what is due by the clock happen first. */
  settle(): void;
  runnerEndMs(): number;
  tokens: ApiTokens;
};

/** Answers one request; `route` names it with `{id}` for ids. */
export type ApiAnswers = {
  route(request: Pick<ApiRequest, "method" | "path">): string;
  answer(request: ApiRequest): ApiAnswer;
};

type Call = ApiParts & { request: ApiRequest; id: string; now: number };
type Route = { role: Role; scope: string; answer(call: Call): ApiAnswer };

/** The calls of notes 4 and 5, with the least role and the scope that each needs. */
const routes: Readonly<Record<string, Route>> = {
  "GET /hosts": {
    role: "viewer",
    scope: "hosts:read",
    answer: ({ fleet, now }) => whole([...fleet.hosts.values()].map((host) => hostRow(fleet, host, now))),
  },
  "GET /hosts/{id}": {
    role: "viewer",
    scope: "hosts:read",
    answer: ({ fleet, id, now }) => ok(hostRow(fleet, found(fleet.hosts.get(id), "host"), now)),
  },
  "POST /hosts/{id}/cordon": { role: "operator", scope: "hosts:cordon", answer: cordon },
  "DELETE /hosts/{id}": { role: "admin", scope: "hosts:delete", answer: deleteHost },
  "GET /runners": { role: "viewer", scope: "runners:read", answer: listRunners },
  "POST /runners/{id}/drain": { role: "operator", scope: "runners:drain", answer: drain },
  "GET /pools": {
    role: "viewer",
    scope: "pools:read",
    answer: ({ fleet }) => whole([...fleet.pools.values()].map((pool) => poolRow(fleet, pool))),
  },
  "GET /pools/{id}": {
    role: "viewer",
    scope: "pools:read",
    answer: ({ fleet, id }) => ok(poolRow(fleet, found(fleet.pools.get(id), "pool"))),
  },
  "GET /jobs": {
    role: "viewer",
    scope: "jobs:read",
    answer: ({ fleet, request }) => page([...fleet.jobs.values()].map(jobRow), request.query),
  },
  "POST /join-tokens": { role: "admin", scope: "joins:write", answer: mint },
  "GET /join-tokens": {
    role: "admin",
    scope: "joins:read",
    answer: ({ fleet, now, request }) =>
      page(
        [...fleet.joinTokens.values()].map((token) => joinTokenRow(token, now)),
        request.query,
      ),
  },
  "GET /join-tokens/{id}": {
    role: "admin",
    scope: "joins:read",
    answer: ({ fleet, id, now }) => ok(joinTokenRow(found(fleet.joinTokens.get(id), "join token"), now)),
  },
  "DELETE /join-tokens/{id}": {
    role: "admin",
    scope: "joins:write",
    answer({ fleet, id }) {
      found(fleet.joinTokens.get(id), "join token");
      fleet.joinTokens.delete(id);
      return { status: 204 };
    },
  },
};

export function apiAnswers(parts: ApiParts): ApiAnswers {
  const route = ({ method, path }: Pick<ApiRequest, "method" | "path">): string => {
    const [, resource = "", id, action] = path.split("/");
    const named = [`/${resource}`, ...(id === undefined ? [] : ["{id}"]), ...(action === undefined ? [] : [action])];
    return `${method} ${named.join("/")}`;
  };
  return {
    route,
    answer(request) {
      parts.settle();
      try {
        const key = route(request);
        const known = Object.hasOwn(routes, key) ? routes[key] : undefined;
        if (known === undefined) throw notFound("path");
        authorize(request, parts.tokens, known.role, known.scope);
        if (request.method !== "GET" && !request.headers["content-type"]?.startsWith("application/json")) {
          throw new ApiError(415, "unsupported_media_type", "Mutations need Content-Type: application/json.");
        }
        const id = decodeURIComponent(request.path.split("/")[2] ?? "");
        return known.answer({ ...parts, request, id, now: parts.clock.now() });
      } catch (error) {
        if (error instanceof ApiError) return error.answer;
        throw error;
      }
    },
  };
}

const ok = (body: unknown): ApiAnswer => ({ status: 200, body });
/** Hosts and pools come whole (notes 4). */
const whole = (items: unknown[]): ApiAnswer => ok({ items });

function found<T>(row: T | undefined, what: string): T {
  if (row === undefined) throw notFound(what);
  return row;
}

function fields(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw unprocessable("", "A JSON object is needed.");
  return body as Record<string, unknown>;
}

/** Idempotent, and ends no job (notes 4). */
function cordon({ fleet, id, now, request }: Call): ApiAnswer {
  const host = found(fleet.hosts.get(id), "host");
  const { cordoned } = fields(request.body);
  if (typeof cordoned !== "boolean") throw unprocessable("cordoned", "cordoned must be true or false.");
  host.cordoned = cordoned;
  return ok(hostRow(fleet, host, now));
}

function deleteHost({ fleet, id, request }: Call): ApiAnswer {
  const host = found(fleet.hosts.get(id), "host");
  const live = runnersOn(fleet, id);
  if (live.length > 0 && request.query.get("force") !== "true") {
    throw conflict(`The host ${host.name} has ${live.length} live runners.`);
  }
  for (const runner of live) endRunner(fleet, runner, "failed");
  fleet.hosts.delete(id);
  return { status: 204 };
}

function listRunners({ fleet, request }: Call): ApiAnswer {
  const { query } = request;
  const [host, states] = [query.get("host_id"), query.getAll("state")];
  const ended = query.get("include_removed") === "true" ? fleet.endedRunners : [];
  const rows = [...fleet.runners.values(), ...ended].filter(
    (runner) => (host === null || runner.host === host) && (states.length === 0 || states.includes(runner.state)),
  );
  return page(rows.map(runnerRow), query);
}

/** An idle runner goes; a busy one is refused unless confirmed, and then has five minutes (notes 4). */
function drain({ fleet, id, now, request, runnerEndMs }: Call): ApiAnswer {
  const runner = found(fleet.runners.get(id), "runner");
  if (runner.state === "busy") {
    if (request.query.get("confirm") !== "true") throw conflict("The runner is busy. Confirm to end its job.");
    runner.goesAt = now + 300_000;
  } else if (runner.state !== "draining") {
    runner.state = "draining";
    runner.goesAt = now + runnerEndMs();
  }
  return { status: 202, body: runnerRow(runner) };
}

function mint({ fleet, now, random, request }: Call): ApiAnswer {
  const { ttl = "15m", capacity = 2, labels = {} } = fields(request.body);
  const ttlMs = typeof ttl === "string" ? goDuration(ttl) : undefined;
  if (ttlMs === undefined) throw unprocessable("ttl", "ttl must be a positive duration such as 15m.");
  if (typeof capacity !== "number" || !Number.isSafeInteger(capacity) || capacity < 0) {
    throw unprocessable("capacity", "capacity must be a whole number from 0.");
  }
  if (Object.values(fields(labels)).some((value) => typeof value !== "string")) {
    throw unprocessable("labels", "labels must be texts.");
  }
  const token = mintJoinToken(fleet, { ttlMs, capacity, labels: labels as Record<string, string> }, now, random);
  return { status: 201, body: { ...joinTokenRow(token, now), token: token.secret } };
}
