import type { Service } from "../operation.ts";

/**
 * The SDK clients carry AWS's own API model as nested tuples (types, member names, names on the wire). The simulator reads requests
 * and writes answers by that model, so that every operation has the true names without a table of our own.
 */
type Traits = Readonly<Record<string, unknown>>;

export type Shape =
  | { readonly kind: "string" | "number" | "boolean" | "timestamp" | "blob"; readonly traits: Traits }
  | { readonly kind: "list"; readonly traits: Traits; readonly item: Shape }
  | { readonly kind: "map"; readonly traits: Traits; readonly key: Shape; readonly value: Shape }
  | { readonly kind: "structure"; readonly traits: Traits; readonly members: () => readonly [string, Shape][] };

export interface OperationModel {
  readonly input: Shape;
  readonly output: Shape;
}

const simpleKinds: Readonly<Record<number, "string" | "number" | "boolean" | "timestamp" | "blob">> = {
  0: "string",
  1: "number",
  2: "boolean",
  4: "timestamp",
  5: "timestamp",
  6: "timestamp",
  7: "timestamp",
  17: "number",
  19: "number",
  21: "blob",
  42: "blob",
};

const listOf = 64;
const mapOf = 128;
const nothing: Shape = { kind: "structure", traits: {}, members: () => [] };

const resolved = new WeakMap<object, Shape>();

/** Turns one reference of the SDK's model into a shape: a number, a tuple, a thunk, or a member (a reference with traits). */
function shapeOf(reference: unknown): Shape {
  if (typeof reference === "function") return shapeOf((reference as () => unknown)());
  if (typeof reference === "number") return simpleShape(reference);
  if (!Array.isArray(reference)) return nothing;
  if (reference.length === 2) {
    const inner = shapeOf(reference[0]);
    return { ...inner, traits: { ...inner.traits, ...traitsOf(reference[1]) } };
  }
  const known = resolved.get(reference);
  if (known !== undefined) return known;
  const shape = compoundShape(reference);
  resolved.set(reference, shape);
  return shape;
}

function simpleShape(code: number): Shape {
  if (code >= mapOf) return { kind: "map", traits: {}, key: shapeOf(0), value: shapeOf(code - mapOf) };
  if (code >= listOf) return { kind: "list", traits: {}, item: shapeOf(code - listOf) };
  return { kind: simpleKinds[code] ?? "string", traits: {} };
}

function compoundShape(tuple: readonly unknown[]): Shape {
  const [code, , , rawTraits, first, second] = tuple;
  const traits = traitsOf(rawTraits);
  switch (code) {
    case 0:
      return { ...shapeOf(first), traits };
    case 1:
      return { kind: "list", traits, item: shapeOf(first) };
    case 2:
      return { kind: "map", traits, key: shapeOf(first), value: shapeOf(second) };
    default: {
      let members: [string, Shape][] | undefined;
      const resolve = () => (first as string[]).map((name, i): [string, Shape] => [name, shapeOf((second as [])[i])]);
      return {
        kind: "structure",
        traits,
        members: () => {
          members ??= resolve();
          return members;
        },
      };
    }
  }
}

function traitsOf(traits: unknown): Traits {
  return typeof traits === "object" && traits !== null ? (traits as Traits) : {};
}

const clients: Readonly<Record<Exclude<Service, "secretsmanager">, () => Promise<object>>> = {
  "auto-scaling": () => import("@aws-sdk/client-auto-scaling"),
  ec2: () => import("@aws-sdk/client-ec2"),
};

/** The model of one operation of a query service, or undefined when AWS has no such operation. */
export async function operationModel(
  service: keyof typeof clients,
  operation: string,
): Promise<OperationModel | undefined> {
  const client = (await clients[service]()) as Record<string, unknown>;
  const schema = client[`${operation}$`];
  if (!Array.isArray(schema) || schema[0] !== 9) return undefined;
  return { input: shapeOf(schema[4]), output: shapeOf(schema[5]) };
}
