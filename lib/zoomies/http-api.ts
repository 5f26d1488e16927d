import type { BearerToken } from "../edge/bearer-token.ts";
import { credentialUrl, type HttpCall, type HttpReply, type HttpSend } from "../edge/http-call.ts";
import { type HostsApi, type JoinsApi, OddAnswer, ZoomiesDenied, ZoomiesUnavailable } from "./api.ts";
import { readErrorCode, readHost, readJoinToken, readList, readPool, readRunner, readTokenText } from "./api-shapes.ts";

export interface ZoomiesConnection {
  /** The controller's address, without `/api/v1`. */
  readonly url: string;
  readonly token: BearerToken;
  readonly send: HttpSend;
  readonly timeoutMs: number;
}

/** The API's own largest page, in rows. */
const pageRows = 500;
/** A row is a few kilobytes; a list past this is not one that Drover asked for. */
const mostBytes = 16 * 1024 * 1024;
/** Rows come and go while a list is paged; a list that never holds still is an error, not a part of a list. */
const mostListTries = 3;
const terminal = new Set(["removed", "failed"]);

type Call = Pick<HttpCall, "method"> & { readonly path: string; readonly body?: unknown };

function zoomiesCalls({ url, token, send, timeoutMs }: ZoomiesConnection) {
  const base = credentialUrl(url).href.replace(/\/+$/, "");

  async function attempt({ method, path, body }: Call, bearer: string): Promise<HttpReply> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = {
      accept: "application/json",
      authorization: `Bearer ${bearer}`,
      // Every mutation must name it (zoomies-notes 4), with a body or without.
      ...(method === "GET" ? {} : { "content-type": "application/json" }),
    };
    try {
      return await send({ method, url: new URL(`${base}/api/v1${path}`), headers, ...json, timeoutMs, mostBytes });
    } catch (cause) {
      throw new ZoomiesUnavailable("Zoomies did not answer.", undefined, { cause });
    }
  }

  /** The answer of one call: sent once, and once more only with another token, since a 401 did nothing. */
  async function call(request: Call): Promise<HttpReply> {
    const bearer = await token.current();
    const reply = await attempt(request, bearer);
    if (reply.status !== 401) return reply;
    const renewed = await token.after(bearer);
    return renewed === undefined ? reply : attempt(request, renewed);
  }

  function refusal({ status, body }: HttpReply, path: string): Error {
    const code = readErrorCode(parsed(body));
    const message = `Zoomies answered ${status}${code === undefined ? "" : ` ${code}`} for ${path.split("?")[0]}.`;
    if (status === 401 || status === 403) return new ZoomiesDenied(message);
    return status >= 400 ? new ZoomiesUnavailable(message, status) : new OddAnswer(message);
  }

  /** The answer's JSON, or undefined for a row that Zoomies says it does not have. A proxy's 404 says nothing. */
  async function row(request: Call, expected: readonly number[]): Promise<unknown> {
    const reply = await call(request);
    if (expected.includes(reply.status)) return parsed(reply.body) ?? {};
    if (reply.status === 404 && readErrorCode(parsed(reply.body)) === "not_found") return undefined;
    throw refusal(reply, request.path);
  }

  async function page(path: string) {
    const value = await row({ method: "GET", path }, [200]);
    if (value === undefined) throw new ZoomiesUnavailable(`Zoomies knows no ${path.split("?")[0]}.`, 404);
    return readList(value);
  }

  return {
    call,
    row,
    refusal,
    /** A list that comes whole. */
    async list(path: string): Promise<readonly unknown[]> {
      const { items, total } = await page(path);
      if (total !== undefined && total !== items.length) throw new OddAnswer(`Zoomies cut ${path} short.`);
      return items;
    },
    /** A list in pages, whole: as many different rows as every page says there are. */
    async paged<T extends { readonly id: string }>(path: string, read: (value: unknown) => T): Promise<T[]> {
      const separator = path.includes("?") ? "&" : "?";
      for (let tries = 0; tries < mostListTries; tries += 1) {
        const rows = new Map<string, T>();
        const totals = new Set<number | undefined>();
        for (let offset = 0; ; ) {
          const { items, total } = await page(`${path}${separator}limit=${pageRows}&offset=${offset}`);
          totals.add(total);
          for (const each of items.map(read)) rows.set(each.id, each);
          offset += items.length;
          if (items.length === 0 || offset >= (total ?? 0)) break;
        }
        if (totals.size === 1 && totals.has(rows.size)) return [...rows.values()];
      }
      throw new OddAnswer(`Zoomies did not give all rows of ${path.split("?")[0]}.`);
    },
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

const segment = (id: string) => encodeURIComponent(id);

/** Zoomies' hosts, runners and pools over HTTP (zoomies-notes 4). */
export function httpHostsApi(connection: ZoomiesConnection): HostsApi {
  const zoomies = zoomiesCalls(connection);
  return {
    hosts: async () => (await zoomies.list("/hosts")).map(readHost),
    pools: async () => (await zoomies.list("/pools")).map(readPool),
    async host(id) {
      const value = await zoomies.row({ method: "GET", path: `/hosts/${segment(id)}` }, [200]);
      return value === undefined ? undefined : sameRow(readHost(value), id);
    },
    async runners(hostId) {
      const query = hostId === undefined ? "" : `?host_id=${segment(hostId)}`;
      const runners = await zoomies.paged(`/runners${query}`, readRunner);
      if (hostId !== undefined && runners.some(({ host_id }) => host_id !== hostId)) {
        throw new OddAnswer("Zoomies answered with runners of other hosts than the one asked for.");
      }
      return runners.filter(({ state }) => !terminal.has(state));
    },
    async cordon(id, cordoned) {
      const path = `/hosts/${segment(id)}/cordon`;
      const value = await zoomies.row({ method: "POST", path, body: { cordoned } }, [200]);
      return value === undefined ? undefined : sameRow(readHost(value), id);
    },
    async drain(id) {
      const path = `/runners/${segment(id)}/drain`;
      const reply = await zoomies.call({ method: "POST", path });
      return outcome(reply, "accepted", () => zoomies.refusal(reply, path));
    },
    async deleteHost(id) {
      const path = `/hosts/${segment(id)}`;
      const reply = await zoomies.call({ method: "DELETE", path });
      return outcome(reply, "deleted", () => zoomies.refusal(reply, path));
    },
  };
}

/** Join tokens over HTTP (zoomies-notes 5). */
export function httpJoinsApi(connection: ZoomiesConnection): JoinsApi {
  const zoomies = zoomiesCalls(connection);
  return {
    async mint(body) {
      const value = await zoomies.row({ method: "POST", path: "/join-tokens", body }, [201]);
      if (value === undefined) throw new ZoomiesUnavailable("Zoomies knows no join tokens.", 404);
      return { ...readJoinToken(value), token: readTokenText(value) };
    },
    async joinToken(id) {
      const value = await zoomies.row({ method: "GET", path: `/join-tokens/${segment(id)}` }, [200]);
      return value === undefined ? undefined : sameRow(readJoinToken(value), id);
    },
    async revoke(id) {
      const path = `/join-tokens/${segment(id)}`;
      const reply = await zoomies.call({ method: "DELETE", path });
      const revoked = outcome(reply, "revoked", () => zoomies.refusal(reply, path));
      if (revoked === "refused") throw zoomies.refusal(reply, path);
      return revoked;
    },
  };
}

function outcome<Done extends string>(reply: HttpReply, done: Done, otherwise: () => Error) {
  if (reply.status >= 200 && reply.status <= 204) return done;
  if (reply.status === 409) return "refused" as const;
  if (reply.status === 404 && readErrorCode(parsed(reply.body)) === "not_found") return "absent" as const;
  throw otherwise();
}

function sameRow<T extends { readonly id: string }>(row: T, id: string): T {
  if (row.id !== id) throw new OddAnswer("Zoomies answered with another row than the one asked for.");
  return row;
}
