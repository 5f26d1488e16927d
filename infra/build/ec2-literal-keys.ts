import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const NAME = /^const (_\w+) = ("(?:[^"\\]|\\.)*");$/gm;
const COMPUTED_KEY = /\[(_\w+)\]:/g;

/**
 * Rewrites the computed keys of an SDK schema table (`{ [_xN]: _m }`) to the literals they stand for (`{ "xmlName": _m }`).
 *
 * A computed key may run code when it becomes a property name, so esbuild keeps every schema of the table: 640 KB of EC2 for a function
 * that makes three calls. The constants are module-level strings and never reassigned; a key without such a constant stays as it is.
 */
export function literalKeys(source: string): string {
  const names = new Map(Array.from(source.matchAll(NAME), ([, name, literal]) => [name, literal]));
  return source.replace(COMPUTED_KEY, (key, name) => {
    const literal = names.get(name);
    // As a literal, `"__proto__":` would set the prototype instead of a property.
    return literal === undefined || literal === '"__proto__"' ? key : `${literal}:`;
  });
}

/** Applies `literalKeys` to client-ec2's schema table, and fails the build when the client no longer looks as expected. */
export const ec2LiteralKeys: Plugin = {
  name: "ec2-literal-keys",
  setup(build) {
    build.onLoad({ filter: /[\\/]client-ec2[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = literalKeys(source);
      if (contents === source)
        throw new Error(`${path} has no computed keys left to rewrite: this plugin is out of date`);
      return { contents, loader: "js" };
    });
  },
};
