import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { root } from "./entry-points.ts";

const REQUIREMENTS = ["aws-sam-cli==1.170.0", "cfn-lint==1.58.0"];

/**
 * The deployment's Python tools, in a virtual environment of the project's own (.venv): made when it is missing, and made anew when
 * the pinned versions change. Needs python3 with venv on the machine, and PyPI the first time.
 *
 * @returns the folder that holds `sam` and `cfn-lint`
 */
export function deployTools(): string {
  const folder = `${root}.venv`;
  const marker = `${folder}/.installed`;
  const wanted = REQUIREMENTS.join("\n");
  if (!existsSync(marker) || readFileSync(marker, "utf8") !== wanted) {
    console.log("Installing SAM CLI and cfn-lint into .venv (once, about a minute) ...");
    rmSync(folder, { recursive: true, force: true });
    execFileSync("python3", ["-m", "venv", folder], { stdio: "inherit" });
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input", ...REQUIREMENTS];
    execFileSync(`${folder}/bin/python`, pip, { stdio: ["ignore", "inherit", "inherit"] });
    writeFileSync(marker, wanted);
  }
  return `${folder}/bin`;
}
