import type { Region } from "../model/region.ts";
import type { RequestFields } from "./request-fields.ts";

/** The names of the operations, as the port has them, for faults and the call log. */
export const operationNames = [
  "resolveGroup",
  "resolvePool",
  "plan",
  "resourcePolicy",
  "replaceResourcePolicy",
  "scaleIn",
  "pendingScaleIn",
  "scaleInReceipt",
  "setPrimaryPool",
  "deployment",
  "hosts",
  "host",
  "drain",
  "lost",
  "createPool",
  "disablePool",
] as const;
export type OperationName = (typeof operationNames)[number];

export type Query = ReadonlyMap<string, readonly string[]>;

/** A request whose path is matched and whose body is JSON; all else about it is still to be checked. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: unknown;
}

export interface Operation {
  readonly method: "GET" | "POST" | "PUT";
  /** Below /capacity/v1; `{name}` is a canonical UUIDv7. */
  readonly path: string;
  /** Success is 200 unless said. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The query parameters it takes: once, or repeated. All others are 400. */
  readonly query?: Readonly<Record<string, "once" | "repeated">>;
  /** Fields of its JSON body, all required, no others; without it a request has no body at all. */
  readonly fields?: readonly string[];
  perform(region: Region, call: ParsedCall): unknown;
}

interface ParsedCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: RequestFields;
}
