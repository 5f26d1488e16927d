import type { Shape } from "./shapes.ts";

/** Text as XML content. Characters that XML 1.0 cannot carry at all become a question mark, as no reader would accept them. */
export function escapeXml(text: string): string {
  return text
    .replace(/[&<>"'\r]/g, (found) => escapes[found] ?? found)
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "?");
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\r": "&#13;",
};

/** Writes the members of an SDK output shape as XML elements, in the order of the API's model. */
export function writeMembers(shape: Shape, value: object): string {
  if (shape.kind !== "structure") return "";
  let xml = "";
  for (const [name, member] of shape.members()) {
    const inner = (value as Record<string, unknown>)[name];
    if (inner === undefined || inner === null) continue;
    xml += element((member.traits["xmlName"] as string | undefined) ?? name, member, inner);
  }
  return xml;
}

function element(name: string, shape: Shape, value: unknown): string {
  if (shape.kind === "list") {
    const isFlat = shape.traits["xmlFlattened"] !== undefined;
    const itemName = isFlat ? name : ((shape.item.traits["xmlName"] as string | undefined) ?? "member");
    const items = (value as unknown[]).map((item) => element(itemName, shape.item, item)).join("");
    return isFlat ? items : `<${name}>${items}</${name}>`;
  }
  return `<${name}>${content(shape, value)}</${name}>`;
}

function content(shape: Shape, value: unknown): string {
  if (shape.kind === "structure") return writeMembers(shape, value as object);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  return escapeXml(String(value));
}
