import { type Host, type JoinToken, OddAnswer, type Pool, type Runner, type RunnerState, runnerStates } from "./api.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads one row of an answer. Unknown fields are ignored; one that is missing or of another kind throws
 * {@link OddAnswer}, so that nothing is concluded from half an answer (design: rule 5).
 */
export function readHost(value: unknown): Host {
  const row = fields(value, "host");
  return {
    id: id(row, "id"),
    name: text(row, "name"),
    embedded: flag(row, "embedded"),
    capacity: count(row, "capacity"),
    active_runners: count(row, "active_runners"),
    backends: texts(row, "backends"),
    labels: labels(row, "labels"),
    // Left out by Zoomies where the agent did not say.
    os: textOrNone(row, "os"),
    arch: textOrNone(row, "arch"),
    cordoned: flag(row, "cordoned"),
    healthy: flag(row, "healthy"),
    incompatible: flag(row, "incompatible"),
    created_at: time(row, "created_at"),
  };
}

export function readRunner(value: unknown): Runner {
  const row = fields(value, "runner");
  const state = text(row, "state");
  if (!(runnerStates as readonly string[]).includes(state))
    throw new OddAnswer("A runner is in a state unknown to us.");
  // A host that was deleted leaves its runners without one.
  return {
    id: id(row, "id"),
    pool_id: text(row, "pool_id"),
    host_id: text(row, "host_id"),
    state: state as RunnerState,
  };
}

export function readPool(value: unknown): Pool {
  const row = fields(value, "pool");
  const counts = fields(row["counts"], "pool's counts");
  return {
    id: id(row, "id"),
    name: text(row, "name"),
    enabled: flag(row, "enabled"),
    backend: text(row, "backend"),
    host_selector: labels(row, "host_selector"),
    min_runners: count(row, "min_runners"),
    max_runners: count(row, "max_runners"),
    counts: {
      provisioning: count(counts, "provisioning"),
      registering: count(counts, "registering"),
      idle: count(counts, "idle"),
      busy: count(counts, "busy"),
      draining: count(counts, "draining"),
    },
    queued_jobs: count(row, "queued_jobs"),
  };
}

export function readJoinToken(value: unknown): JoinToken {
  const row = fields(value, "join token");
  return {
    id: id(row, "id"),
    expires_at: time(row, "expires_at"),
    used_at: row["used_at"] === null ? null : time(row, "used_at"),
    used_by_id: textOrNone(row, "used_by_id"),
    usable: flag(row, "usable"),
  };
}

/** The token's text itself, which is in a mint's answer only. */
export const readTokenText = (value: unknown): string => id(fields(value, "join token"), "token");

/** `{ items, total?, ... }`. `total` is undefined where the list comes whole and says no number. */
export function readList(value: unknown): { readonly items: readonly unknown[]; readonly total: number | undefined } {
  const list = fields(value, "list");
  if (!Array.isArray(list["items"])) throw odd("list", "items");
  return { items: list["items"], total: list["total"] === undefined ? undefined : count(list, "total") };
}

/** The machine-readable code of an error answer, undefined when the answer has none. */
export function readErrorCode(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { error } = value as Fields;
  if (typeof error !== "object" || error === null) return undefined;
  const { code } = error as Fields;
  return typeof code === "string" ? code : undefined;
}

const odd = (where: string, name: string) => new OddAnswer(`Zoomies answered a ${where} without a usable ${name}.`);

function fields(value: unknown, what: string): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw odd(what, "object");
  return value as Fields;
}

function text(row: Fields, name: string): string {
  const value = row[name];
  if (typeof value !== "string") throw odd("row", name);
  return value;
}

function id(row: Fields, name: string): string {
  const value = text(row, name);
  if (value === "") throw odd("row", name);
  return value;
}

function textOrNone(row: Fields, name: string): string | undefined {
  return row[name] === undefined || row[name] === null || row[name] === "" ? undefined : text(row, name);
}

function flag(row: Fields, name: string): boolean {
  const value = row[name];
  if (typeof value !== "boolean") throw odd("row", name);
  return value;
}

function count(row: Fields, name: string): number {
  const value = row[name];
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw odd("row", name);
  return value;
}

function time(row: Fields, name: string): string {
  const value = text(row, name);
  if (Number.isNaN(Date.parse(value))) throw odd("row", name);
  return value;
}

function texts(row: Fields, name: string): string[] {
  const value = row[name];
  if (!Array.isArray(value) || value.some((each) => typeof each !== "string")) throw odd("row", name);
  return value as string[];
}

/** A nil map may come as null. */
function labels(row: Fields, name: string): Record<string, string> {
  const value = row[name];
  if (value === null) return {};
  const entries = Object.entries(fields(value, name));
  if (entries.some(([, each]) => typeof each !== "string")) throw odd("row", name);
  return Object.fromEntries(entries) as Record<string, string>;
}
