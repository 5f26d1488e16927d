import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The repository's root, with a slash at its end. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Names of all functions: one file in functions/ is one Lambda function. */
export function functionNames(): string[] {
  return readdirSync(`${root}functions`, { withFileTypes: true })
    .filter((file) => file.isFile() && file.name.endsWith(".ts"))
    .map((file) => file.name.slice(0, -".ts".length))
    .sort();
}

/** `ZoomiesWebhook` -> `zoomies-webhook`: a function's logical id in the template is its file's name in capitals. */
export function nameOfLogicalId(logicalId: string): string {
  return logicalId.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "-").toLowerCase();
}

/** `zoomies-webhook` -> `ZoomiesWebhook`. */
export function logicalIdOf(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
