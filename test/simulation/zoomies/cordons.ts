import type { Host } from "../../../infra/local/zoomies/fleet.ts";
import type { Table } from "../../../lib/ledger/table.ts";
import type { DrainPhase } from "../../../lib/zoomies/host-notes.ts";
import type { Chance } from "../chance.ts";
import type { Machine } from "./machines.ts";
import { minute } from "./setting.ts";
import { isCalm, notesOf, type ZoomiesStage } from "./stage-parts.ts";

/** What one person does once, to one of the living machines perhaps. */
export type Act = (
  stage: ZoomiesStage,
  chance: Chance,
  living: readonly Machine[],
  table: Table,
) => void | Promise<void>;

export function hostOf(stage: ZoomiesStage, { hostId }: Machine): Host | undefined {
  return stage.controller.fleet.hosts.get(hostId ?? "");
}

/** How Drover's own removal of this host stands, as its ledger has it. */
async function drainPhase(machine: Machine, table: Table): Promise<DrainPhase | undefined> {
  return (await notesOf(machine, table))?.drain?.phase;
}

export function setCordon(stage: ZoomiesStage, host: Host, cordoned: boolean): void {
  if (host.cordoned === cordoned) return;
  host.cordoned = cordoned;
  stage.cordonedBy.set(host.id, { by: "a person", at: stage.time.now() });
  stage.tell(`a person ${cordoned ? "cordons" : "uncordons"} ${host.name}`);
}

export const cordonOne: Act = async (stage, chance, living, table) => {
  const machine = living.length === 0 ? undefined : chance.pick(living);
  if (machine !== undefined)
    await cordonByHand(stage, machine, table, chance.is(0.7) ? chance.between(1, 30) : undefined);
};

/** A person cordons a host, for some minutes or for good. Answers whether the cordon is theirs. */
export async function cordonByHand(
  stage: ZoomiesStage,
  machine: Machine,
  table: Table,
  minutes: number | undefined,
): Promise<boolean> {
  const host = hostOf(stage, machine);
  // Until Drover has looked again, nobody could tell this cordon from its own.
  if (isCalm(stage) || host === undefined || host.cordoned || (await drainPhase(machine, table)) !== undefined)
    return false;
  setCordon(stage, host, true);
  if (minutes !== undefined) stage.time.after(minutes * minute, () => setCordon(stage, host, false));
  return true;
}

/**
 * A host opened for jobs again after its end began lives on heartbeats of its hook alone. Where Drover is down for longer than the hook
 * waits, nobody could save what starts there, so such worlds have no person who does it.
 */
const isBeyondSaving = ({ setting }: ZoomiesStage, machine: Machine | undefined): boolean =>
  setting.hazards.downtimes.length > 0 && machine?.endedBy !== undefined;

/** Somebody takes a cordon away, whoever it is from; and sometimes sets an own one soon after. */
export const uncordonOne: Act = async (stage, chance, living, table) => {
  const cordoned = living.filter((machine) => hostOf(stage, machine)?.cordoned);
  const machine = cordoned.length === 0 ? undefined : chance.pick(cordoned);
  const host = machine === undefined ? undefined : hostOf(stage, machine);
  const phase = machine === undefined ? undefined : await drainPhase(machine, table);
  if (machine === undefined || host === undefined || phase === "cordoning" || phase === "uncordoning") return;
  if (isBeyondSaving(stage, machine)) return;
  setCordon(stage, host, false);
  if (chance.is(0.5)) {
    stage.time.after(chance.between(1, 6) * minute, () => void cordonOne(stage, chance, [machine], table));
  }
};

/** Drover has just looked at all hosts, and has not acted on it: the worst moment for a person to set a cordon. */
export function cordonBehindALook(
  stage: ZoomiesStage,
  chance: Chance,
  all: ReadonlyMap<string, Machine>,
  table: Table,
): void {
  // A cordon of ours that is not heard of would leave Drover unable to tell whose stands.
  const { mishap, crash } = stage.setting.hazards;
  if (isCalm(stage) || mishap > 0 || crash > 0 || !chance.is(0.05)) return;
  const living = [...all.values()].filter(({ alive }) => alive);
  stage.time.after(chance.pick([0, 0, 20]), () => void cordonOne(stage, chance, living, table));
}

/** A person acts on the very host that Drover is about to cordon or to end, just before Drover's last look at it. */
export function actBeforeALook(
  stage: ZoomiesStage,
  chance: Chance,
  all: ReadonlyMap<string, Machine>,
  hostId: string,
): void {
  const { mishap, crash } = stage.setting.hazards;
  const host = stage.controller.fleet.hosts.get(hostId);
  if (isCalm(stage) || host === undefined || !chance.is(0.2)) return;
  if (host.cordoned && stage.cordonedBy.get(hostId)?.by === "drover") {
    const machine = [...all.values()].find((each) => each.hostId === hostId);
    if (isBeyondSaving(stage, machine)) return;
    setCordon(stage, host, false);
    return void stage.controller.pass();
  }
  // A look that is not heard would leave Drover unable to tell whose cordon stands.
  if (host.cordoned || mishap > 0 || crash > 0) return;
  setCordon(stage, host, true);
  stage.time.after(chance.between(1, 30) * minute, () => setCordon(stage, host, false));
}
