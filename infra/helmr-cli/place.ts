import { chosenTarget, deployedAt } from "../cli/target.ts";
import type { Deployed } from "../doctor/facts.ts";
import type { WorldFile } from "../local/world-file.ts";
import type { Given } from "./arguments.ts";

/** Where a command finds things. What is undefined was not said, and is asked for when it is needed. */
export interface Place {
  readonly url: string | undefined;
  readonly stack: string | undefined;
  readonly table: string | undefined;
  readonly regionId: string | undefined;
  /** The capacity token's secret in Secrets Manager. */
  readonly secret: string | undefined;
  readonly workerRevision: string | undefined;
  /** Whether Drover itself asks Helmr for plans there: in observe mode only where the stack's parameter allows it. */
  readonly isPlanned: boolean;
  /** The local world, where that is meant. */
  readonly local: WorldFile | undefined;
}

type Said = Pick<Deployed, "parameters" | "outputs">;

/** What was typed, over what the stack says of itself. The stack is not looked at when nothing is left to ask it. */
export async function chosenPlace(
  options: Given["options"],
  isTokenAtHand: boolean,
  running: () => WorldFile | undefined,
): Promise<Place> {
  const { url, stack, table, secret, "region-id": regionId } = options;
  const isElsewhere = url !== undefined || stack !== undefined || table !== undefined;
  const local = isElsewhere ? undefined : running();
  const isSaid = url && table && regionId && (secret || isTokenAtHand);
  const { parameters, outputs } =
    stack === undefined || isSaid ? (local?.deployed ?? nothing) : await saidBy(stack, url !== undefined);
  return {
    url: url ?? local?.controlPlane ?? parameters["HelmrControlPlaneUrl"],
    stack: stack ?? local?.stack,
    table: table ?? local?.table ?? outputs["TableName"],
    regionId: regionId ?? local?.helmrRegionId ?? parameters["HelmrRegionId"],
    secret: secret ?? (isTokenAtHand ? undefined : outputs["HelmrCapacityTokenArn"]),
    workerRevision: options["worker-revision"] ?? (parameters["HelmrWorkerRevision"] || undefined),
    isPlanned: asksForPlans(parameters),
    local,
  };
}

const nothing: Said = { parameters: {}, outputs: {} };

async function saidBy(stack: string, isUrlGiven: boolean): Promise<Said> {
  const deployed = await deployedAt(chosenTarget(stack, undefined));
  if (!isUrlGiven && !deployed.parameters["HelmrControlPlaneUrl"])
    throw new Error(`Helmr is off in the stack ${stack}: its parameter HelmrControlPlaneUrl is empty.`);
  return deployed;
}

/** As the functions decide it: a plan publishes evidence that work is admitted against, so it counts as a change. */
const asksForPlans = (parameters: Deployed["parameters"]): boolean =>
  parameters["Mode"] !== "observe" || parameters["ObserveHelmrPlans"] === "true";
