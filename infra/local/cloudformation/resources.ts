import { readFileSync } from "node:fs";
import { resolve, type Scope } from "./intrinsics.ts";
import { type Place, type Section, section, templateScope } from "./scope.ts";
import { parseTemplateText } from "./tags.ts";

/** A resource that these parameters leave in the stack. Its properties are as written; {@link resolve} reads them in the scope. */
export type Declared = { id: string; type: string; properties: Section; metadata: Section };

/** The template's resources whose conditions hold under these parameters, and the scope in which they are read. */
export type Resources = {
  readonly all: readonly Declared[];
  readonly scope: Scope;
  readonly globals: Section;
  /** Those of one type with every intrinsic function replaced. */
  ofType(type: string): { id: string; properties: Section }[];
};

/** Tests read one text under many parameters, and reading it is the slow part. */
let last: { text: string; template: Section } | undefined;

function parsed(text: string): Section {
  if (last?.text !== text) last = { text, template: (parseTemplateText(text) ?? {}) as Section };
  return last.template;
}

/** Throws when the template is not YAML or declares nothing. */
export function templateResources(text: string, place: Place, parameters: Readonly<Record<string, string>>): Resources {
  const template = parsed(text);
  const resources = section(template, "Resources");
  if (Object.keys(resources).length === 0) throw new Error("The template declares no resources.");
  const scope = templateScope(template, place, parameters);
  const all = (Object.entries(resources) as [string, Section][]).flatMap(([id, resource]) => {
    const condition = resource["Condition"];
    if (typeof condition === "string" && !scope.condition(condition)) return [];
    const properties = section(resource, "Properties");
    return [{ id, type: String(resource["Type"]), properties, metadata: section(resource, "Metadata") }];
  });
  return {
    all,
    scope,
    globals: section(section(template, "Globals"), "Function"),
    ofType: (wanted) =>
      all
        .filter(({ type }) => type === wanted)
        .map(({ id, properties }) => ({ id, properties: resolve(properties, scope) as Section })),
  };
}

/** The same, from a file. */
export const readResources = (file: string, place: Place, parameters: Readonly<Record<string, string>>): Resources =>
  templateResources(readFileSync(file, "utf8"), place, parameters);
