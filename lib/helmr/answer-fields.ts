import { OddAnswer } from "./control-plane.ts";

/**
 * One JSON object of an answer, read field by field. What the contract requires must be there and of its type, else
 * {@link OddAnswer} names the field, never its value; null and empty text count as absent. Fields nobody reads are ignored (the contract).
 */
export interface AnswerFields {
  has(name: string): boolean;
  /** Text of 1 to 4,096 characters. */
  text(name: string): string;
  /** A canonical lower-case UUID. */
  id(name: string): string;
  /** An RFC 3339 time, as text. */
  time(name: string): string;
  /** A whole number from 0 on. */
  whole(name: string): number;
  flag(name: string): boolean;
  /** One of the words, `unknown` for any other text (invariant 39). */
  word<W extends string>(name: string, words: readonly W[]): W | "unknown";
  object(name: string): AnswerFields;
  objects(name: string): AnswerFields[];
  raw(name: string): unknown;
  odd(problem: string): OddAnswer;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;
const longestText = 4_096;

export const isCanonicalId = (value: string): boolean => uuid.test(value);

/** `where` names the answer or the place in it, for the error's sentence. */
export function answerFields(value: unknown, where: string): AnswerFields {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new OddAnswer(`The Control Plane's ${where} is not an object.`);
  }
  const fields = value as Readonly<Record<string, unknown>>;
  const odd = (problem: string) =>
    new OddAnswer(`The Control Plane's ${where} is not as the contract says: ${problem}.`);

  function text(name: string): string {
    const found = fields[name];
    if (typeof found === "string" && found !== "" && found.length <= longestText) return found;
    throw odd(`${name} is missing or no text`);
  }

  return {
    odd,
    text,
    has: (name) => fields[name] !== undefined && fields[name] !== null && fields[name] !== "",
    raw: (name) => fields[name],
    id(name) {
      const found = text(name);
      if (uuid.test(found)) return found;
      throw odd(`${name} is no canonical UUID`);
    },
    time(name) {
      const found = text(name);
      if (rfc3339.test(found) && !Number.isNaN(Date.parse(found))) return found;
      throw odd(`${name} is no RFC 3339 time`);
    },
    whole(name) {
      const found = fields[name];
      if (typeof found === "number" && Number.isSafeInteger(found) && found >= 0) return found;
      throw odd(`${name} is missing or no whole number`);
    },
    flag(name) {
      const found = fields[name];
      if (typeof found === "boolean") return found;
      throw odd(`${name} is missing or neither true nor false`);
    },
    word(name, words) {
      const found = text(name);
      return words.find((word) => word === found) ?? "unknown";
    },
    object: (name) => answerFields(fields[name], `${where}'s ${name}`),
    objects(name) {
      const found = fields[name];
      if (!Array.isArray(found)) throw odd(`${name} is missing or no list`);
      return found.map((item, index) => answerFields(item, `${where}'s ${name}[${index}]`));
    },
  };
}

/** `{ [name]: read(name) }` where the answer has the field, nothing where it has not: for fields that may be absent. */
export function optional<N extends string, T>(
  fields: AnswerFields,
  name: N,
  read: (name: N) => T,
): { readonly [K in N]?: T } {
  return fields.has(name) ? ({ [name]: read(name) } as { readonly [K in N]?: T }) : {};
}
