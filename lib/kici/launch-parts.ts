import { randomUUID } from "node:crypto";
import { ec2InstanceTypes } from "../capacity/ec2-instance-types.ts";
import { ec2LaunchTemplates } from "../capacity/ec2-launch-templates.ts";
import { ec2Launches } from "../capacity/ec2-launches.ts";
import { observingLaunches } from "../capacity/observing.ts";
import type { Environment } from "../edge/environment.ts";
import { modeOf } from "../edge/mode.ts";
import { ledgerCoolOffs } from "../ledger/cool-offs.ts";
import type { LaunchParts } from "./parts.ts";
import { teardownParts } from "./teardown-parts.ts";

/** The parts of the launching function, on real AWS clients. */
export function launchParts(env: Environment): LaunchParts {
  const { parts, records, clients } = teardownParts(env);
  return {
    ...parts,
    launches: modeOf(env) === "act" ? ec2Launches(clients.mutations) : observingLaunches,
    templates: ec2LaunchTemplates(clients.reads, parts.stack),
    types: ec2InstanceTypes(clients.reads),
    coolOffs: ledgerCoolOffs(records, parts.clock),
    newToken: randomUUID,
  };
}
