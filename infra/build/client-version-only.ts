import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** Each client imports its package.json whole, some 2 KB, to name its version in the user agent; this keeps the version alone. */
export const clientVersionOnly: Plugin = {
  name: "client-version-only",
  setup(build) {
    build.onLoad({ filter: /[\\/]@aws-sdk[\\/]client-[a-z0-9-]+[\\/]package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, "utf8")) as { version: string };
      return { contents: JSON.stringify({ version }), loader: "json" };
    });
  },
};
