import { ControlPlaneError, ControlPlaneUnauthorized, ControlPlaneUnreachable } from "../../lib/helmr/control-plane.ts";
import { failureOf } from "../cli/failure.ts";
import { failed, type Outcome } from "../cli/outcome.ts";
import type { Command, CommandParts } from "../cli/run-command.ts";
import { UsageError } from "../cli/usage-error.ts";
import { type Given, given, type OwnOption, reachUsage } from "./arguments.ts";
import { showDeployment } from "./commands/deployment.ts";
import { drainHost } from "./commands/drain.ts";
import { listHosts } from "./commands/hosts.ts";
import { showOperations } from "./commands/operations.ts";
import { pauseGroup, resumeGroup } from "./commands/pause.ts";
import { showPlan } from "./commands/plan.ts";
import { showPolicy } from "./commands/policy.ts";
import { createPool, disablePool } from "./commands/pools.ts";
import { setPrimary } from "./commands/primary.ts";
import { chosenPlace } from "./place.ts";
import { type Reach, reach } from "./reach.ts";

interface HelmrCommand {
  /** What follows the name, for the usage and the check: `NAME`, or `[NAME]` where it may be left out. */
  readonly words: readonly string[];
  readonly takes: readonly OwnOption[];
  readonly usage: string;
  run(reach: Reach, words: readonly string[], options: Given["options"]): Promise<Outcome>;
}

const commands: Readonly<Record<string, HelmrCommand>> = {
  deployment: {
    words: [],
    takes: [],
    usage: "deployment                           release, schema and worker revision of the Control Plane",
    run: showDeployment,
  },
  hosts: {
    words: [],
    takes: ["pool", "all"],
    usage: "hosts [--pool POOL] [--all]          live hosts with their fences; --all shows ended ones too",
    run: (to, _words, { pool, all = false }) => listHosts(to, pool, all),
  },
  drain: {
    words: ["HOST"],
    takes: ["reason"],
    usage: "drain HOST --reason REASON           begins a drain: replacement or capacity_reduction",
    run: (to, [host = ""], { reason }) => drainHost(to, host, reason),
  },
  "pools create": {
    words: ["NAME"],
    takes: [],
    usage: "pools create NAME                    creates a pending pool",
    run: (to, [name = ""]) => createPool(to, name),
  },
  "pools disable": {
    words: ["NAME"],
    takes: [],
    usage: "pools disable NAME                   shows retained profiles and retires the pool for good",
    run: (to, [name = ""]) => disablePool(to, name),
  },
  "primary set": {
    words: ["POOL"],
    takes: ["minimum"],
    usage: "primary set POOL --minimum N         makes the pool primary if N of its hosts are ready",
    run: (to, [pool = ""], { minimum }) => setPrimary(to, pool, minimum),
  },
  operations: {
    words: ["[KEY]"],
    takes: [],
    usage: "operations [KEY]                     the unsettled scale-in operation, or one by its key",
    run: (to, [key]) => showOperations(to, key),
  },
  "policy show": {
    words: ["POOL"],
    takes: [],
    usage: "policy show POOL                     the pool's resource policy",
    run: (to, [pool = ""]) => showPolicy(to, pool),
  },
  plan: {
    words: [],
    takes: ["no-plan", "worker-revision"],
    usage: `plan [--no-plan]                     a dry run: what a cycle would see, do, and why not more. It changes nothing,
                                       but asking for the plan publishes evidence to Helmr, as every cycle does;
                                       --no-plan observes only, and so it does of a stack in observe mode, unless
                                       ObserveHelmrPlans is true. --worker-revision N in place of HelmrWorkerRevision`,
    run: (to, _words, { "no-plan": isUnplanned = false }) => showPlan(to, !isUnplanned),
  },
  pause: {
    words: [],
    takes: ["reason"],
    usage: "pause [--reason TEXT]                stops all requests about the Worker group",
    run: (to, _words, { reason }) => pauseGroup(to, reason),
  },
  resume: {
    words: [],
    takes: [],
    usage: "resume                               resolves and plans once, then lifts the pause",
    run: resumeGroup,
  },
};

const usage = `npm run helmr -- COMMAND [options]

${Object.values(commands)
  .map((command) => `  ${command.usage}`)
  .join("\n")}

${reachUsage}`;

export const helmr: Command = { name: "helmr", usage, perform };

async function perform(args: readonly string[], parts: CommandParts): Promise<Outcome> {
  const name = [args.slice(0, 2).join(" "), args[0] ?? ""].find((text) => Object.hasOwn(commands, text));
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined)
    throw new UsageError(`Say what to do: ${Object.keys(commands).join(", ")}.`);
  const { options, words } = given(args.slice(name.split(" ").length), command.takes, command.words);
  const isTokenAtHand = options["token-file"] !== undefined || parts.variables["DROVER_HELMR_TOKEN"] !== undefined;
  const to = reach(await chosenPlace(options, isTokenAtHand, parts.world), options, parts.variables);
  try {
    return await command.run(to, words, options);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return refusal(error);
  } finally {
    to.close();
  }
}

/** An error's sentence, with what an operator does about it. */
function refusal(error: unknown): Outcome {
  const { code, message } = failureOf(error);
  return failed([message, ...adviceOn(error)], {
    error: error instanceof ControlPlaneError ? error.code : code,
    message,
  });
}

function adviceOn(error: unknown): string[] {
  if (error instanceof ControlPlaneUnauthorized) {
    return [
      "The Control Plane knows one token, read at its start. Is this the current one, and has every replica been replaced?",
    ];
  }
  if (error instanceof ControlPlaneUnreachable)
    return ["Check --url, the network, and NODE_EXTRA_CA_CERTS for a private authority."];
  return [];
}
