import type { Shape } from "./shapes.ts";

export type QueryDialect = "awsQuery" | "ec2Query";

interface Node {
  value?: string;
  children?: Map<string, Node>;
}

/** Reads the form parameters of a query request (`Filter.1.Value.2=x`) into the SDK's input shape. */
export function readQuery(body: URLSearchParams, shape: Shape, dialect: QueryDialect): object {
  const root: Node = {};
  for (const [name, value] of body) plant(root, name.split("."), value);
  return readNode(root, shape, dialect) as object;
}

/** A parameter's name on the wire; EC2 has its own names, and capitalises the rest. */
function parameterName(name: string, shape: Shape, dialect: QueryDialect): string {
  const xmlName = shape.traits["xmlName"] as string | undefined;
  if (dialect === "awsQuery") return xmlName ?? name;
  const plain = xmlName ?? name;
  return (shape.traits["ec2QueryName"] as string | undefined) ?? `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`;
}

function plant(root: Node, path: readonly string[], value: string): void {
  let node = root;
  for (const step of path) {
    node.children ??= new Map();
    const next = node.children.get(step) ?? {};
    node.children.set(step, next);
    node = next;
  }
  node.value = value;
}

function readNode(node: Node, shape: Shape, dialect: QueryDialect): unknown {
  switch (shape.kind) {
    case "structure": {
      const entries: [string, unknown][] = [];
      for (const [name, member] of shape.members()) {
        const child = node.children?.get(parameterName(name, member, dialect));
        if (child !== undefined) entries.push([name, readNode(child, member, dialect)]);
      }
      return Object.fromEntries(entries);
    }
    case "list": {
      const isFlat = dialect === "ec2Query" || shape.traits["xmlFlattened"] !== undefined;
      const wrapper = isFlat ? node : node.children?.get((shape.item.traits["xmlName"] as string) ?? "member");
      const numbered = [...(wrapper?.children ?? [])].sort(([a], [b]) => Number(a) - Number(b));
      return numbered.map(([, item]) => readNode(item, shape.item, dialect));
    }
    case "map":
      return {};
    case "number":
      return Number(node.value);
    case "boolean":
      return node.value === "true";
    case "timestamp":
      return new Date(node.value ?? "");
    case "blob":
      return Buffer.from(node.value ?? "", "base64");
    case "string":
      return node.value ?? "";
  }
}
