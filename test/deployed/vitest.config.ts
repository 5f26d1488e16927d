import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("../..", import.meta.url)),
    include: ["test/deployed/**/*.test.ts"],
    reporters: ["verbose", fileURLToPath(new URL("../closing-line-reporter.ts", import.meta.url))],
    globalSetup: [fileURLToPath(new URL("tools.ts", import.meta.url))],
    pool: "forks",
    // Each test goes on from where the one before it left the stack.
    bail: 1,
    testTimeout: 450_000,
    hookTimeout: 60_000,
  },
});
