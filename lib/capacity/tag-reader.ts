import type { Finding } from "./finding.ts";

export type Tags = Readonly<Record<string, string>>;

/** Reads one resource's tags and collects what is wrong with them, so that a person sees every fault at once. */
export interface TagReader {
  readonly findings: Finding[];
  text(tag: string): string | undefined;
  /** A whole number of at least `least`; `fallback` when the tag is absent. */
  integer(tag: string, least: number, fallback: number): number;
  integerOrNone(tag: string, least: number): number | undefined;
  /** One of the words; the first is what an absent tag means. */
  oneOf<W extends string>(tag: string, words: readonly [W, ...W[]]): W;
  /** `drover:thing/KEY` tags as KEY -> value. */
  under(prefix: string): Record<string, string>;
  find(code: string, tag: string | undefined, message: string, fix: string): void;
}

const wholeNumber = /^\d{1,9}$/;

export function readTags(resource: string, tags: Tags): TagReader {
  const findings: Finding[] = [];

  function find(code: string, tag: string | undefined, message: string, fix: string): void {
    findings.push({ code, resource, ...(tag === undefined ? {} : { tag }), message, fix });
  }

  function integerOrNone(tag: string, least: number): number | undefined {
    const value = tags[tag];
    if (value === undefined) return undefined;
    if (wholeNumber.test(value) && Number(value) >= least) return Number(value);
    const fix = `Set ${tag} on ${resource} to a whole number of at least ${least}.`;
    find("bad_tag", tag, `${tag} is "${value}", which is not a whole number of at least ${least}.`, fix);
    return undefined;
  }

  return {
    findings,
    find,
    text: (tag) => tags[tag],
    integerOrNone,
    integer: (tag, least, fallback) => integerOrNone(tag, least) ?? fallback,
    oneOf(tag, words) {
      const value = tags[tag];
      if (value === undefined) return words[0];
      const known = words.find((word) => word === value);
      if (known !== undefined) return known;
      const fix = `Set ${tag} on ${resource} to one of: ${words.join(", ")}.`;
      find("bad_tag", tag, `${tag} is "${value}", which Drover does not know.`, fix);
      return words[0];
    },
    under(prefix) {
      const matching = Object.entries(tags).filter(([tag]) => tag.startsWith(prefix) && tag.length > prefix.length);
      return Object.fromEntries(matching.map(([tag, value]) => [tag.slice(prefix.length), value]));
    },
  };
}
