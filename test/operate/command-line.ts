import { type Command, runCommand } from "../../infra/cli/run-command.ts";
import type { LocalWorld } from "../../infra/local/world.ts";
import type { WorldFile } from "../../infra/local/world-file.ts";

export interface Said {
  readonly exit: 0 | 1 | 2;
  readonly out: string;
  readonly error: string;
}

/** Types a command's arguments in a shell beside the world; `world` undefined is a machine on which none runs. */
export async function type(command: Command, args: string, world: LocalWorld | undefined): Promise<Said> {
  const out: string[] = [];
  const error: string[] = [];
  const file = world === undefined ? undefined : worldFileOf(world);
  const exit = await runCommand(
    command,
    args.split(" ").filter((arg) => arg !== ""),
    { variables: {}, world: () => file, print: (line) => out.push(line), printError: (line) => error.push(line) },
  );
  return { exit, out: out.join("\n"), error: error.join("\n") };
}

function worldFileOf({ api, aws, dynamodb, table, stack, deployed, secrets }: LocalWorld): WorldFile {
  const values = { zoomies: secrets.zoomies.value, kici: secrets.kici.value };
  return {
    api,
    aws,
    dynamodb,
    table,
    stack,
    deployed,
    secrets: values,
    fleets: [],
    scaler: "",
    zoomiesApi: { url: "http://127.0.0.1:9", hostsToken: "", joinsToken: "" },
  };
}
