import { isMap, isScalar, isSeq, parseDocument } from "yaml";

const SHORT_FORM = /^!([A-Za-z]+)$/;

/**
 * Reads a CloudFormation template's YAML with its short forms (`!Ref x`, `!Sub x`, `!GetAtt a.b`) turned into the
 * long ones (`{ Ref: x }`, `{ "Fn::Sub": x }`, `{ "Fn::GetAtt": [a, b] }`), so that one set of rules serves both.
 * Throws with the file's line when the text is not YAML.
 */
export function parseTemplateText(text: string): unknown {
  const document = parseDocument(text, { logLevel: "error", version: "1.1", schema: "yaml-1.1" });
  const [broken] = document.errors;
  if (broken !== undefined) throw new Error(`The template is not valid YAML: ${broken.message}`);
  return longForm(document.contents);
}

function longForm(node: unknown): unknown {
  const plain = withoutTag(node);
  const tag = (node as { tag?: string } | null)?.tag;
  const name = tag === undefined ? undefined : SHORT_FORM.exec(tag)?.[1];
  if (name === undefined) return plain;
  if (name === "Ref" || name === "Condition") return { [name]: plain };
  if (name === "GetAtt" && typeof plain === "string") return { "Fn::GetAtt": splitOnce(plain) };
  return { [`Fn::${name}`]: plain };
}

function withoutTag(node: unknown): unknown {
  if (isMap(node)) {
    return Object.fromEntries(node.items.map((pair) => [String(longForm(pair.key)), longForm(pair.value)]));
  }
  if (isSeq(node)) return node.items.map(longForm);
  if (!isScalar(node)) return null;
  // A template's version is a date to YAML 1.1 and a name to CloudFormation.
  return node.value instanceof Date ? (node.source ?? "") : node.value;
}

function splitOnce(path: string): string[] {
  const dot = path.indexOf(".");
  return dot < 0 ? [path] : [path.slice(0, dot), path.slice(dot + 1)];
}
