import type { Filter } from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";

/** What a resource answers for a filter's name: its values, or undefined for a name that the operation does not know. */
export type FilterValues = (name: string) => readonly string[] | undefined;

/** EC2's filters: all must hold, any value of one suffices, `*` and `?` are wildcards, letters' case counts. */
export function matchesFilters(filters: readonly Filter[] | undefined, valuesOf: FilterValues): boolean {
  return (filters ?? []).every((filter) => {
    const actual = valuesOf(filter.Name ?? "");
    if (actual === undefined) throw new AwsError("InvalidParameterValue", `The filter '${filter.Name}' is invalid`);
    return (filter.Values ?? []).some((pattern) => {
      const fits = patternOf(pattern);
      return actual.some((value) => fits.test(value));
    });
  });
}

/** The values for `tag:KEY` and `tag-key`, which every taggable resource answers. */
export function tagValues(tags: ReadonlyMap<string, string>, name: string): readonly string[] | undefined {
  if (name === "tag-key") return [...tags.keys()];
  if (!name.startsWith("tag:")) return undefined;
  const value = tags.get(name.slice("tag:".length));
  return value === undefined ? [] : [value];
}

function patternOf(pattern: string): RegExp {
  const source = pattern.replace(/\\([*?\\])|[*?]|[.+^${}()|[\]\\]/g, (found, escaped: string | undefined) => {
    if (escaped !== undefined) return `\\${escaped}`;
    if (found === "*") return "[^]*";
    return found === "?" ? "[^]" : `\\${found}`;
  });
  return new RegExp(`^${source}$`);
}
