import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Deployed } from "../doctor/facts.ts";

/** What a running local world tells other commands. The secrets are this world's own and worth nothing elsewhere. */
export type WorldFile = {
  /** URLs; "aws" is the simulator's one endpoint. */
  api: string;
  aws: string;
  dynamodb: string;
  table: string;
  /** The value of `drover:stack` on the world's groups. */
  stack?: string;
  /** Its parameters and outputs. */
  deployed?: Deployed;
  /** Helmr's stand-in Control Plane, where one runs, and the region id of its Worker groups. */
  controlPlane?: string;
  helmrRegionId?: string;
  secrets: { zoomies: string; kici: string; helmr?: string };
  fleets: readonly { name: string; pools: readonly string[]; slotsPerHost: number }[];
  /** The stand-in controller's API (`/api/v1` below the URL) and Drover's two tokens for it. */
  zoomiesApi: { url: string; hostsToken: string; joinsToken: string };
  /** Name of the KiCI scaler that a launch template serves. */
  scaler: string;
};

/** `.local/` of the project, unless DROVER_LOCAL_DIR names another folder. */
export function localFolder(variables: NodeJS.ProcessEnv): string {
  return variables["DROVER_LOCAL_DIR"] ?? fileURLToPath(new URL("../../.local", import.meta.url));
}

/** Writes world.json whole or not at all; one that a dead world left behind is replaced. */
export function writeWorldFile(folder: string, world: WorldFile): void {
  mkdirSync(folder, { recursive: true });
  const draft = `${folder}/world.${process.pid}.json`;
  writeFileSync(draft, `${JSON.stringify(world, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, `${folder}/world.json`);
}

/** Undefined when no world is running, as far as the folder tells. */
export function readWorldFile(folder: string): WorldFile | undefined {
  try {
    return JSON.parse(readFileSync(`${folder}/world.json`, "utf8")) as WorldFile;
  } catch {
    return undefined;
  }
}

/** Removes world.json if it still is this world's: a later world may have written its own. */
export function removeWorldFile(folder: string, world: WorldFile): void {
  if (readWorldFile(folder)?.api === world.api) rmSync(`${folder}/world.json`, { force: true });
}
