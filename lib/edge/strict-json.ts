/** The bytes are not one JSON value that means the same to every reader. */
export class NotJson extends Error {
  override readonly name = "NotJson";
}

/**
 * Parses UTF-8 JSON and refuses what readers disagree about: invalid UTF-8 and duplicate keys, of which one parser takes
 * the first and another the last. Throws {@link NotJson} with a sentence that says what to fix.
 */
export function parseStrictJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotJson("The body is not valid UTF-8.");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NotJson(text === "" ? "The body is empty." : "The body is not valid JSON.");
  }
  const duplicate = duplicateKey(text);
  if (duplicate) throw new NotJson("The body has the same key twice in one object.");
  return value;
}

const stringToken = /"(?:[^"\\]|\\.)*"/y;

/** Whether one object of this text, which is valid JSON, names a key twice. Keys are compared as decoded. */
function duplicateKey(text: string): boolean {
  // One set of keys per open object; undefined stands for an open array, whose strings are never keys.
  const open: (Set<string> | undefined)[] = [];
  let keyComesNext = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === "{") {
      open.push(new Set());
      keyComesNext = true;
    } else if (character === "[") {
      open.push(undefined);
      keyComesNext = false;
    } else if (character === "}" || character === "]") {
      open.pop();
      keyComesNext = false;
    } else if (character === ",") {
      keyComesNext = open.at(-1) !== undefined;
    } else if (character === '"') {
      stringToken.lastIndex = at;
      const token = stringToken.exec(text)?.[0] ?? '""';
      at += token.length - 1;
      const keys = open.at(-1);
      if (keyComesNext && keys !== undefined) {
        const key = JSON.parse(token) as string;
        if (keys.has(key)) return true;
        keys.add(key);
        keyComesNext = false;
      }
    }
  }
  return false;
}
