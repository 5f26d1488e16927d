import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { root } from "./entry-points.ts";

/**
 * A set of Python tools in a virtual environment of the project's own (.venv/NAME): made when it is missing, and made anew when the pinned
 * versions change. Needs python3 with venv on the machine, and PyPI the first time.
 *
 * @returns the folder that holds the tools' commands
 */
export function pythonTools(name: string, requirements: readonly string[]): string {
  const folder = `${root}.venv/${name}`;
  const marker = `${folder}/.installed`;
  const wanted = requirements.join("\n");
  if (!existsSync(marker) || readFileSync(marker, "utf8") !== wanted) {
    console.log(`Installing ${requirements.join(" and ")} into .venv/${name} (once, about a minute) ...`);
    rmSync(folder, { recursive: true, force: true });
    execFileSync("python3", ["-m", "venv", folder], { stdio: ["ignore", "inherit", "inherit"] });
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", ...requirements];
    execFileSync(`${folder}/bin/python`, pip, { stdio: ["ignore", "inherit", "inherit"] });
    writeFileSync(marker, wanted);
  }
  return `${folder}/bin`;
}
