import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: fileURLToPath(new URL("..", import.meta.url)),
    include: ["test/**/*.test.ts"],
    // Deploys a stack, minutes long: npm run test:deployed.
    exclude: ["test/deployed/**"],
    reporters: ["default", fileURLToPath(new URL("closing-line-reporter.ts", import.meta.url))],
    // Forgets which calls an earlier run has seen the functions make.
    globalSetup: fileURLToPath(new URL("iam/forget-calls.ts", import.meta.url)),
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 60_000,
  },
});
