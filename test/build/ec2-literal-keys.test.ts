import { createRequire } from "node:module";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { bundleOptions } from "../../infra/build/bundle-function.ts";
import { ec2LiteralKeys, literalKeys } from "../../infra/build/ec2-literal-keys.ts";
import { root } from "../../infra/build/entry-points.ts";

const SCHEMAS = "./node_modules/@aws-sdk/client-ec2/dist-es/schemas/schemas_0.js";

/** Builds some source in memory, with the plugin or as esbuild does it alone, and returns the minified text. */
async function built(contents: string, withPlugin: boolean): Promise<string> {
  const plugins = bundleOptions.plugins.filter((plugin) => withPlugin || plugin !== ec2LiteralKeys);
  const { outputFiles } = await build({ ...bundleOptions, plugins, stdin: { contents, resolveDir: root } });
  return outputFiles?.[0]?.text ?? "";
}

function load(text: string): Record<string, unknown> {
  const module = { exports: {} };
  new Function("module", "exports", "require", text)(module, module.exports, createRequire(import.meta.url));
  return module.exports;
}

/** Writes a schema table out as text, following its lazy references and naming what it has met before. */
function written(value: unknown, met = new Map<unknown, number>()): string {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) {
    return typeof value === "symbol" ? value.toString() : (JSON.stringify(value) ?? "undefined");
  }
  const before = met.get(value);
  if (before !== undefined) return `#${before}`;
  met.set(value, met.size);
  if (typeof value === "function") {
    // A class is an error's constructor; anything else is a reference to a schema that is declared further down.
    return /^class\b/.test(value.toString()) ? `class ${value.name}` : `() => ${written(value(), met)}`;
  }
  if (Array.isArray(value)) return `[${value.map((item) => written(item, met)).join(",")}]`;
  return `{${Object.entries(value)
    .map(([key, item]) => `${key}:${written(item, met)}`)
    .join(",")}}`;
}

describe("computed keys become the literals they stand for", () => {
  test("where the constant is in the same file", () => {
    expect(literalKeys('const _xN = "xmlName";\nconst a = { [_xN]: _m };')).toBe(
      'const _xN = "xmlName";\nconst a = { "xmlName": _m };',
    );
  });

  test("and stay as they are where it is not, or where a literal would mean something else", () => {
    const foreign = "const a = { [_xN]: 1, [key]: 2 };";
    expect(literalKeys(foreign)).toBe(foreign);
    const prototype = 'const _p = "__proto__";\nconst a = { [_p]: 1 };';
    expect(literalKeys(prototype)).toBe(prototype);
  });
});

describe("client-ec2 with literal keys", () => {
  test("describes every command's request, answer and error as the stock client does", async () => {
    const all = `export * from ${JSON.stringify(SCHEMAS)};`;
    const stock = load(await built(all, false));
    const ours = load(await built(all, true));
    const names = Object.keys(stock).sort();
    expect(names.length).toBeGreaterThan(3_000);
    expect(Object.keys(ours).sort()).toEqual(names);
    const different = names.filter((name) => written(stock[name]) !== written(ours[name]));
    expect(different).toEqual([]);
  });

  test("brings only the schemas of the commands that a function imports", async () => {
    const one = `import { EC2Client, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
      const client = new EC2Client({});
      export const handler = (event) => client.send(new TerminateInstancesCommand(event));`;
    expect((await built(one, false)).length).toBeGreaterThan(600_000);
    expect((await built(one, true)).length).toBeLessThan(200_000);
  });
});
