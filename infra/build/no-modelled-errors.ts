import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { literalKeys } from "./ec2-literal-keys.ts";

const REGISTERED = /^n0_registry\.registerError\(\w+\$, \w+\);$/gm;

/**
 * Leaves out a class and a schema for each error that a service can answer with, some 20 KB in all. Errors are told apart by
 * their code alone (lib/capacity/error-codes.ts); without a class of its own an error comes as the client's base class, its
 * code as its name, with message, fault and status as before.
 */
export function withoutErrors(source: string): string {
  return source.replace(REGISTERED, "");
}

/** Applies `withoutErrors` to the clients that have such tables, and fails the build when they no longer look as expected. */
export const noModelledErrors: Plugin = {
  name: "no-modelled-errors",
  setup(build) {
    const filter = /[\\/]client-(?:auto-scaling|dynamodb|secrets-manager)[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/;
    build.onLoad({ filter }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = withoutErrors(source);
      if (contents === source) throw new Error(`${path} registers no errors: this plugin is out of date`);
      // An error's schema that stays in a computed key's table could not be dropped.
      return { contents: literalKeys(contents), loader: "js" };
    });
  },
};
