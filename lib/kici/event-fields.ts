import type { Refusal } from "../edge/http-answer.ts";
import { NotJson, parseStrictJson } from "../edge/strict-json.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Stops the reading of an event with the answer that it gets. */
export class Refused extends Error {
  readonly refusal: Refusal;
  constructor(status: 400 | 422, code: string, message: string) {
    super(message);
    this.refusal = { status, code, message };
  }
}

const malformed = (message: string) => new Refused(400, "malformed_event", message);

/** A tag's value ends at 256 characters (EC2 user guide, "Tag restrictions"). */
const longestTagValue = 256;

/** Reads one event from verified bytes; `read` picks its fields and throws {@link Refused}. */
export function readEvent<E>(body: Uint8Array, read: (fields: Fields) => E): { event: E } | { refusal: Refusal } {
  try {
    const value = parseStrictJson(body);
    if (!isObject(value)) throw malformed("The body must be one JSON object: the event's payload as it was emitted.");
    return { event: read(value) };
  } catch (error) {
    if (error instanceof Refused) return { refusal: error.refusal };
    if (error instanceof NotJson) return { refusal: { status: 400, code: "malformed_event", message: error.message } };
    throw error;
  }
}

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A string that is there and not empty. No value may end its line: what we write of it stands in files of lines. */
export function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== "string" || value === "") throw malformed(`${name} must be a string and not empty.`);
  return line(value, name);
}

/** A string that becomes the value of a tag. */
export function tagValue(fields: Fields, name: string): string {
  const value = text(fields, name);
  if (value.length <= longestTagValue) return value;
  const message = `${name} is longer than the ${longestTagValue} characters of a tag's value.`;
  throw new Refused(422, "value_too_long", message);
}

export function optionalText(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined || fields[name] === null ? undefined : text(fields, name);
}

function line(value: string, name: string): string {
  // A lone half of a surrogate pair would change when it is written, and two different names could become one.
  if (!value.isWellFormed()) throw malformed(`${name} holds half of a character.`);
  if (/[\p{Cc}\u2028\u2029]/u.test(value)) {
    throw new Refused(422, "control_character", `${name} holds a control character or a line break.`);
  }
  return value;
}

/** Labels as the agent gets them: joined by commas, so that none may hold one. */
export function labels(fields: Fields, name: string, least: 0 | 1): readonly string[] {
  const value = fields[name] ?? (least === 0 ? [] : undefined);
  if (!Array.isArray(value) || value.some((label) => typeof label !== "string")) {
    throw malformed(`${name} must be an array of strings.`);
  }
  const all = value as string[];
  if (all.length < least) throw new Refused(422, "no_labels", `${name} must hold at least one label.`);
  for (const label of all) {
    if (label === "") throw new Refused(422, "empty_label", `${name} holds an empty label.`);
    if (label.includes(",")) throw new Refused(422, "comma_in_label", `${name} holds a label with a comma in it.`);
    line(label, name);
  }
  return all;
}

/** Hints that were declared; everything else that may stand there is not ours to read. */
export function resources(fields: Fields): { readonly cpus?: number; readonly memBytes?: number } {
  const value = fields["resources"] ?? {};
  if (!isObject(value)) throw malformed("resources must be an object.");
  const amount = (name: string) => {
    const given = value[name];
    if (given === undefined) return {};
    if (typeof given === "number" && Number.isFinite(given) && given > 0) return { [name]: given };
    throw malformed(`resources.${name} must be a number above 0.`);
  };
  return { ...amount("cpus"), ...amount("memBytes") };
}
