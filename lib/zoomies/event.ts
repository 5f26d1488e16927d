import type { Refusal } from "../edge/http-answer.ts";
import { NotJson, parseStrictJson } from "../edge/strict-json.ts";
import { readTimestamp, type Timestamp } from "./timestamp.ts";

/** A Zoomies capacity event of schema version 1, checked. Counts are runner slots, jobs and seconds. */
export interface CapacityEvent {
  readonly eventId: string;
  readonly type: "capacity_demand" | "scale_down_opportunity";
  readonly timestamp: Timestamp;
  readonly poolId: string;
  readonly hostSelector: Readonly<Record<string, string>>;
  readonly backend: string;
  /** What was missing (above 0) or could go (below 0). */
  readonly requiredRunnerSlots: number;
  /** Eligible slots that Zoomies counted. */
  readonly currentCapacity: number;
  readonly queuedJobCount: number;
  readonly oldestQueueAgeSeconds: number;
}

/** More slots or jobs than any fleet has: a number past this is a fault, not a demand. */
const absurd = 1_000_000;
const longestText = 128;
const knownBackends = "docker, podman or process";

class Malformed extends Error {}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads an event from bytes whose signature was verified. Every bound is the contract's or what the sender produces
 * (zoomies-notes 1); keys we do not know are ignored, because adding one never raises the version.
 */
export function readCapacityEvent(body: Uint8Array): { event: CapacityEvent } | { refusal: Refusal } {
  try {
    return { event: toEvent(asObject(parseStrictJson(body))) };
  } catch (error) {
    if (error instanceof UnknownVersion) return { refusal: { status: 400, code: error.code, message: error.message } };
    if (error instanceof Malformed || error instanceof NotJson) {
      return { refusal: { status: 400, code: "malformed_event", message: error.message } };
    }
    throw error;
  }
}

class UnknownVersion extends Error {
  readonly code = "unknown_schema_version";
}

function toEvent(fields: Fields): CapacityEvent {
  // First of all: a version we do not know may mean something else by every other field (the contract).
  if (fields["schema_version"] !== 1) {
    throw new UnknownVersion("schema_version must be 1. Update Zoomies if it sends none, or Drover if it sends more.");
  }
  const type = text(fields, "type");
  if (type !== "capacity_demand" && type !== "scale_down_opportunity") {
    throw new Malformed("type must be capacity_demand or scale_down_opportunity.");
  }
  const isDemand = type === "capacity_demand";
  const timestamp = readTimestamp(text(fields, "timestamp"));
  if (timestamp === undefined) throw new Malformed("timestamp must be an RFC 3339 time, such as 2026-09-05T12:00:00Z.");
  const event: CapacityEvent = {
    eventId: text(fields, "event_id"),
    type,
    timestamp,
    poolId: text(fields, "pool_id"),
    hostSelector: selector(fields["host_selector"]),
    backend: text(fields, "backend"),
    // Sign and type always agree at the sender; where they do not, one of them was tampered with or misread.
    requiredRunnerSlots: isDemand
      ? integer(fields, "required_runner_slots", 1, absurd, "in a capacity_demand")
      : integer(fields, "required_runner_slots", -absurd, -1, "in a scale_down_opportunity"),
    currentCapacity: integer(fields, "current_capacity", isDemand ? 0 : 1, absurd, `in a ${type}`),
    queuedJobCount: isDemand
      ? integer(fields, "queued_job_count", 1, absurd, "in a capacity_demand")
      : integer(fields, "queued_job_count", 0, 0, "in a scale_down_opportunity"),
    oldestQueueAgeSeconds: integer(fields, "oldest_queue_age_seconds", 0, Number.MAX_SAFE_INTEGER, ""),
  };
  if (event.currentCapacity + event.requiredRunnerSlots < 0) {
    throw new Malformed("current_capacity plus required_runner_slots must not be negative.");
  }
  return event;
}

function asObject(value: unknown): Fields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Malformed("The body must be one JSON object.");
  }
  return value as Fields;
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (isBoundedText(value)) return value;
  const hint = name === "backend" ? ` (${knownBackends})` : "";
  throw new Malformed(`${name} must be a string of 1 to ${longestText} characters without control characters${hint}.`);
}

function isBoundedText(value: unknown): value is string {
  if (typeof value !== "string" || value.length < 1 || value.length > longestText) return false;
  // Half a surrogate pair can be in no tag, and no request to AWS can carry it.
  return value.isWellFormed() && !/\p{Cc}/u.test(value);
}

function integer(fields: Fields, name: string, least: number, most: number, where: string): number {
  const value = fields[name];
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least && value <= most) return value;
  const range = least === most ? `${least}` : `a whole number from ${least} to ${most}`;
  throw new Malformed(`${name} must be ${range}${where === "" ? "" : ` ${where}`}.`);
}

/** `null` and absent mean any host, as `{}` does: the sender's map may be nil. */
function selector(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new Malformed("host_selector must be an object.");
  const entries = Object.entries(value);
  for (const [key, wanted] of entries) {
    if (key === "" || typeof wanted !== "string" || wanted.length > longestText * 2) {
      throw new Malformed("host_selector must map names to strings.");
    }
  }
  return Object.fromEntries(entries);
}
