import { runnersOn } from "../../../infra/local/zoomies/fleet.ts";
import { hostOf, setCordon } from "./cordons.ts";
import type { Machine } from "./machines.ts";
import { joinDeadlineMs, minute } from "./setting.ts";
import type { ZoomiesStage } from "./stage-parts.ts";

/** When the load ends, people take their cordons away, and mend what Drover's findings name. */
export function tidy(stage: ZoomiesStage, all: ReadonlyMap<string, Machine>): void {
  stage.tell("the load has ended, and nothing more goes wrong");
  for (const host of stage.controller.fleet.hosts.values()) {
    if (stage.cordonedBy.get(host.id)?.by === "a person") setCordon(stage, host, false);
  }
  mend(stage, all);
}

/** In service for so long without a host, an instance will not join any more. */
const givenUpAfterMs = 2.5 * joinDeadlineMs;

/** Hosts get their names back, and what cannot be used is ended by hand. */
function mend(stage: ZoomiesStage, all: ReadonlyMap<string, Machine>): void {
  const { controller, cloud, time } = stage;
  for (const machine of all.values()) {
    if (!machine.alive) continue;
    const host = hostOf(stage, machine);
    const isLate = host === undefined && time.now() - machine.bornAt > givenUpAfterMs;
    const isUseless = host?.incompatible && runnersOn(controller.fleet, host.id).length === 0;
    if (host !== undefined) host.name = machine.id;
    if (!isLate && !isUseless) continue;
    stage.tell(`a person ends ${machine.id}, which is of no use`);
    cloud.terminateByHand(machine.id);
  }
  time.after(5 * minute, () => mend(stage, all));
}
