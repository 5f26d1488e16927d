/** What a template's `Ref`s, attributes and conditions stand for. Each lookup throws when it does not know the name. */
export type Scope = {
  ref(name: string): unknown;
  attribute(resource: string, attribute: string): unknown;
  condition(name: string): boolean;
  mapping(name: string, first: string, second: string): unknown;
};

/** Stands for `AWS::NoValue`: the property that holds it is not there. */
export const NO_VALUE: unique symbol = Symbol("AWS::NoValue");

type Rule = (argument: unknown, scope: Scope) => unknown;

const RULES: Readonly<Record<string, Rule>> = {
  Ref: (name, scope) => scope.ref(String(name)),
  Condition: (name, scope) => scope.condition(String(name)),
  "Fn::GetAtt": (path, scope) => {
    const [resource, ...attribute] = list(path, "Fn::GetAtt");
    return scope.attribute(String(resource), attribute.join("."));
  },
  "Fn::Sub": substitute,
  "Fn::If": (parts, scope) => {
    const [condition, yes, no] = list(parts, "Fn::If");
    return resolve(scope.condition(String(condition)) ? yes : no, scope);
  },
  "Fn::Equals": (parts, scope) => {
    const [left, right] = list(resolve(parts, scope), "Fn::Equals");
    return String(left) === String(right);
  },
  "Fn::Not": (parts, scope) => list(resolve(parts, scope), "Fn::Not")[0] !== true,
  "Fn::And": (parts, scope) => list(resolve(parts, scope), "Fn::And").every((part) => part === true),
  "Fn::Or": (parts, scope) => list(resolve(parts, scope), "Fn::Or").some((part) => part === true),
  "Fn::Join": (parts, scope) => {
    const [glue, pieces] = list(resolve(parts, scope), "Fn::Join");
    return list(pieces, "Fn::Join").join(String(glue));
  },
  "Fn::Split": (parts, scope) => {
    const [glue, text] = list(resolve(parts, scope), "Fn::Split");
    return String(text).split(String(glue));
  },
  "Fn::Select": (parts, scope) => {
    const [index, pieces] = list(resolve(parts, scope), "Fn::Select");
    return list(pieces, "Fn::Select")[Number(index)];
  },
  "Fn::FindInMap": (parts, scope) => {
    const [name, first, second] = list(resolve(parts, scope), "Fn::FindInMap").map(String);
    return scope.mapping(name ?? "", first ?? "", second ?? "");
  },
};

/** A template's value with every intrinsic function in it replaced by what it stands for in this scope. */
export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((part) => resolve(part, scope)).filter((part) => part !== NO_VALUE);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) {
    const [name, argument] = only;
    const rule = RULES[name];
    if (rule !== undefined) return rule(argument, scope);
    if (name.startsWith("Fn::")) throw new Error(`The local world does not know the intrinsic function ${name}.`);
  }
  return Object.fromEntries(
    entries.map(([key, part]) => [key, resolve(part, scope)] as const).filter(([, part]) => part !== NO_VALUE),
  );
}

function substitute(argument: unknown, scope: Scope): string {
  const [text, own] = Array.isArray(argument) ? argument : [argument, {}];
  const names = (resolve(own ?? {}, scope) ?? {}) as Record<string, unknown>;
  return String(text).replaceAll(/\$\{([^}]+)\}/g, (_whole, name: string) => {
    if (name.startsWith("!")) return `\${${name.slice(1)}}`;
    if (Object.hasOwn(names, name)) return String(names[name]);
    const dot = name.indexOf(".");
    return String(dot < 0 ? scope.ref(name) : scope.attribute(name.slice(0, dot), name.slice(dot + 1)));
  });
}

function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value))
    throw new Error(`${name} takes a list, but the template gives it ${JSON.stringify(value)}.`);
  return value;
}
