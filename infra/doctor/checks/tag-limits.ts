import type { Tags } from "../../../lib/capacity/tag-reader.ts";
import type { Check, Diagnosis, Severity } from "../diagnosis.ts";
import { valueOr } from "../known.ts";

/** AWS's own limits (Tagging best practices, "Tag naming limits and requirements"). */
const most = 50;
const longestKey = 128;
const longestValue = 256;
const allowed = /^[\p{L}\p{N}\p{Z}+\-=._:/@]*$/u;
/** So many free places are too few for another pool with its selector. */
const scarce = 5;

/** Tags at the edge of what AWS keeps, or with letters that some of its services refuse. */
export const tagLimits: Check = (facts) => [
  ...valueOr(facts.groups, []).flatMap(({ group }) => limitsOf(group.name, group.tags)),
  ...valueOr(facts.templates, []).flatMap(({ name, group, tags }) => (group === undefined ? limitsOf(name, tags) : [])),
];

function limitsOf(resource: string, tags: Tags): Diagnosis[] {
  // Tags of AWS itself do not count against the limit.
  const own = Object.entries(tags).filter(([key]) => !key.startsWith("aws:"));
  const found: Diagnosis[] = [];
  const find = (severity: Severity, code: string, tag: string | undefined, what: string, why: string, fix: string) =>
    found.push({ severity, code, resource, ...(tag === undefined ? {} : { tag }), what, why, fix });
  if (own.length > most - scarce) {
    const why = `A resource holds ${most} tags, and each pool needs one: the next pool may not fit.`;
    const severity = own.length >= most ? "error" : "warning";
    find(
      severity,
      "tags_full",
      undefined,
      `${resource} has ${own.length} tags.`,
      why,
      "Remove tags that nobody reads, or split the group.",
    );
  }
  for (const [key, value] of own) {
    if (key.length > longestKey || value.length > longestValue) {
      const why = "AWS refuses such a tag on most resources, so a copy of this one fails.";
      const fix = `Keep keys to ${longestKey} characters and values to ${longestValue}.`;
      find("error", "tag_too_long", key, `The tag ${key.slice(0, longestKey)} is too long.`, why, fix);
    }
    if (key.startsWith("drover:") && !(allowed.test(key) && allowed.test(value))) {
      const why = "Not every AWS service takes other characters, and Drover splits lists at spaces only.";
      const fix = "Use letters, digits, spaces and + - = . _ : / @ only.";
      find("error", "tag_characters", key, `${key} holds a character that tags should not have.`, why, fix);
    }
  }
  return found;
}
