import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NotJson, parseStrictJson } from "../../lib/edge/strict-json.ts";

const parse = (text: string): unknown => parseStrictJson(Buffer.from(text));

const twice = "The body has the same key twice in one object.";

describe("JSON that readers disagree about is refused", () => {
  test.each([
    ["a key twice", '{"a":1,"a":1}'],
    ["a key twice with others between", '{"a":1,"b":{"c":[1,2]},"a":2}'],
    ["a key twice, once escaped", '{"a":1,"\\u0061":2}'],
    ["a key twice, escaped in two ways", '{"\\u002f":1,"\\/":2}'],
    ["a key twice in a nested object", '{"a":{"b":1,"b":2}}'],
    ["a key twice in an object in an array", '[1,{"b":1,"b":2}]'],
    ["a key twice after an array", '{"a":["x",{"y":[]}],"a":2}'],
    ["a key twice with spaces about", '{ "a" : 1 ,\n"a"\t: 2 }'],
    ["a key twice whose value holds braces and quotes", '{"a":"}{\\"\\\\","a":2}'],
    ["an empty key twice", '{"":1,"":2}'],
    ["__proto__ twice", '{"__proto__":1,"__proto__":2}'],
  ])("%s", (_, text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(() => parse(text)).toThrow(new NotJson(twice));
  });
});

describe("JSON in which a text only looks like a key twice is accepted", () => {
  test.each([
    ["as key and value", '{"a":"a","b":"a"}'],
    ["in different objects", '{"a":{"a":{"a":1}},"b":{"a":2}}'],
    ["in neighbours in an array", '[{"a":1},{"a":1}]'],
    ["twice in an array", '{"a":["a","a"],"b":["b",["b"]]}'],
    ["inside a string", '{"a":"\\"b\\":1,\\"b\\":2","b":",\\"a\\":"}'],
    ["after an object in an array", '{"a":[{"b":1},"a","b"],"b":1}'],
    ["with another Unicode form", '{"\\u00e9":1,"e\\u0301":2}'],
    ["in another case", '{"a":1,"A":2}'],
  ])("%s", (_, text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });
});

describe("bytes that are no JSON are refused with what to fix", () => {
  test.each([
    ["nothing", Buffer.alloc(0), "The body is empty."],
    ["a lone continuation byte", Buffer.from([0x22, 0x80, 0x22]), "The body is not valid UTF-8."],
    ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "The body is not valid UTF-8."],
    ["an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22]), "The body is not valid UTF-8."],
    ["UTF-16", Buffer.from("{}", "utf16le"), "The body is not valid JSON."],
    ["a byte order mark", Buffer.from("\ufeff{}"), "The body is not valid JSON."],
    ["a second value", Buffer.from("{}{}"), "The body is not valid JSON."],
    ["a trailing comma", Buffer.from('{"a":1,}'), "The body is not valid JSON."],
    ["a comment", Buffer.from("{}//"), "The body is not valid JSON."],
    ["NaN", Buffer.from('{"a":NaN}'), "The body is not valid JSON."],
  ])("%s", (_, bytes, message) => {
    expect(() => parseStrictJson(bytes)).toThrow(new NotJson(message));
  });
});

test("a refusal never repeats the body", () => {
  for (const text of ['{"secret-word":1,"secret-word":2}', '{"secret-word"']) {
    try {
      parse(text);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(NotJson);
      expect((error as Error).message).not.toContain("secret-word");
      expect((error as Error).cause).toBeUndefined();
    }
  }
});

describe("64 KiB of anything is read without a fault of the reader", () => {
  const most = 64 * 1024;

  test.each([
    ["open brackets", "[".repeat(most)],
    ["open objects", '{"a":'.repeat(most / 5)],
    ["quotes", '"'.repeat(most)],
    ["backslashes in a string", `"${"\\".repeat(most - 3)}"`],
  ])("%s", (_, text) => {
    expect(() => parse(text)).toThrow(NotJson);
  });

  test("deep nesting that is closed again", () => {
    const depth = most / 8;
    expect(() => parse("[".repeat(depth) + "]".repeat(depth))).not.toThrow();
    expect(() => parse('{"a":'.repeat(depth) + 0 + "}".repeat(depth))).not.toThrow();
    expect(() => parse(`${'{"a":'.repeat(depth)}{"b":1,"b":2}${"}".repeat(depth)}`)).toThrow(new NotJson(twice));
  });

  test("one long string, plain or all escapes", () => {
    expect(parse(`["${"x".repeat(most)}"]`)).toEqual(["x".repeat(most)]);
    expect(parse(`["${'\\"'.repeat(most / 2)}"]`)).toEqual(['"'.repeat(most / 2)]);
    expect(parse(`{"${"\\n".repeat(most / 2)}":1}`)).toEqual({ ["\n".repeat(most / 2)]: 1 });
  });
});

test("whatever JSON.stringify writes is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: "binary", maxDepth: 6 }), fc.constantFrom(undefined, 1), (text, indent) => {
      const written = JSON.stringify(JSON.parse(text), null, indent);
      expect(parse(written)).toEqual(JSON.parse(written));
    }),
    { numRuns: 500 },
  );
});

test("whatever the bytes, it gives what JSON.parse gives, or NotJson", () => {
  const letters = fc.string({ unit: fc.constantFrom(...'{}[]",:\\ab1 u0'), maxLength: 40 });
  fc.assert(
    fc.property(fc.oneof(letters, fc.string({ unit: "binary" })), (text) => {
      let value: unknown;
      try {
        value = parse(text);
      } catch (error) {
        expect(error).toBeInstanceOf(NotJson);
        return;
      }
      expect(value).toEqual(JSON.parse(text));
    }),
    { numRuns: 2_000 },
  );
});

test("repeating any one key of any object anywhere is noticed", () => {
  const leaf = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant(null));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("tree"), { maxLength: 3 }),
      fc.dictionary(fc.string({ minLength: 1 }), tie("tree"), { minKeys: 1, maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(tree, fc.string({ minLength: 1 }), fc.nat(), (value, key, seed) => {
      const written = JSON.stringify([value, { [key]: 1 }]);
      const opens = [...written.matchAll(/\{/g)].map(({ index }) => index);
      const last = opens.at(-1) ?? 0;
      // The last object is ours unless its own key holds a brace: then JSON.parse decides what to expect.
      const doubled = `${written.slice(0, last + 1)}${JSON.stringify(key)}:${seed},${written.slice(last + 1)}`;
      if (!isJson(doubled) || key.includes("{")) return;
      expect(() => parse(doubled)).toThrow(new NotJson(twice));
    }),
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
