import { badRequest } from "../model/refusal.ts";
import { isUuidV7 } from "../model/uuid.ts";

/** A request object, read strictly: every field must be known, there, and of its type, else 400 (helmr-notes 1). */
export interface RequestFields {
  text(name: string): string;
  /** Not blank, no blanks around. */
  canonical(name: string): string;
  id(name: string): string;
  whole(name: string, least: number, most?: number): number;
  time(name: string): string;
  object(name: string, fields: readonly string[]): RequestFields;
  objects(name: string, fields: readonly string[]): RequestFields[];
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Throws 400 where `value` is not an object of exactly these fields. */
export function requestFields(value: unknown, fields: readonly string[]): RequestFields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badRequest("an object is expected");
  const object = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(object)) if (!fields.includes(name)) throw badRequest(`unknown field ${name}`);
  for (const name of fields) {
    if (object[name] === undefined || object[name] === null) throw badRequest(`${name} is required`);
  }
  const text = (name: string): string => {
    const found = object[name];
    if (typeof found !== "string") throw badRequest(`${name} is not a string`);
    return found;
  };
  return {
    text,
    canonical: (name) => canonicalText(name, text(name)),
    id: (name) => canonicalId(name, text(name)),
    whole(name, least, most = Number.MAX_SAFE_INTEGER) {
      const found = object[name];
      if (typeof found === "number" && Number.isSafeInteger(found) && found >= least && found <= most) return found;
      throw badRequest(`${name} is not an integer within its bounds`);
    },
    time(name) {
      const found = text(name);
      if (!rfc3339.test(found) || Number.isNaN(Date.parse(found))) throw badRequest(`${name} is not an RFC 3339 time`);
      return found;
    },
    object: (name, inner) => requestFields(object[name], inner),
    objects(name, inner) {
      const found = object[name];
      if (!Array.isArray(found)) throw badRequest(`${name} is not an array`);
      return found.map((each) => requestFields(each, inner));
    },
  };
}

export function canonicalText(name: string, value: string): string {
  if (value === "" || value.trim() !== value) throw badRequest(`${name} is blank or not canonical`);
  return value;
}

export function canonicalId(name: string, value: string): string {
  if (!isUuidV7(value)) throw badRequest(`${name} is not a canonical UUIDv7`);
  return value;
}
