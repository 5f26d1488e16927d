// Installs what `npm start`, `npm test` and the other commands need, and is quick when nothing is missing.
// It runs on whatever Node the machine has (20 or newer), before any dependency exists: Node's own modules only.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const marker = `${root}node_modules/.drover-installed`;
// The lock file alone says what is installed; a changed script in package.json needs nothing new.
const wanted = createHash("sha256")
  .update(readFileSync(`${root}package-lock.json`))
  .digest("hex");

const isInstalled = existsSync(marker) && readFileSync(marker, "utf8") === wanted;
if (!isInstalled) {
  console.error("Installing dependencies (once, about half a minute) ...");
  // npm's own path comes with the script's environment; a bare `npm` serves a direct `node infra/setup.mjs`.
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
  const [command, ...before] = npm;
  const install = spawnSync(command, [...before, "ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
  });
  if (install.status !== 0) {
    console.error(`The installation failed (${install.error?.message ?? `npm ci ended with ${install.status}`}).`);
    console.error("Check that the npm registry can be reached, then run the same command again.");
    process.exit(1);
  }
  writeFileSync(marker, wanted);
}
