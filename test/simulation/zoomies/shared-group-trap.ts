import type { SimulatedWorld } from "../runner.ts";
import { groupSetting, minute, type Setting } from "./setting.ts";
import type { ZoomiesStage } from "./stage-parts.ts";
import { zoomiesPlay } from "./world.ts";

const setting: Setting = {
  groups: [
    groupSetting({
      name: "shared",
      slots: 2,
      min: 0,
      max: 6,
      idleMinutes: 1,
      pools: [{ id: "pool_idle" }, { id: "pool_busy" }],
    }),
  ],
  hazards: {
    mishap: 0.005,
    crash: 0.002,
    writes: 0.005,
    people: undefined,
    spot: undefined,
    networks: undefined,
    health: undefined,
    badMachine: 0,
    tardy: 0,
    maintenance: undefined,
    downtimes: [],
    deaf: [],
    shortLists: [],
    events: { lost: 0, duplicated: 0.1, delayed: 0.1 },
  },
  skewMs: 0,
  cooldownMs: 2 * minute,
  describeLagMs: 0,
  loadMs: 50 * minute,
};

/** What the trap saw: the idle pool's offers, and the fewest hosts while the busy pool's jobs ran. */
export interface Seen {
  offers: number;
  leastHosts: number;
}

/**
 * Two pools on the hosts of one group (zoomies-notes 3, trap 1): one runs six long jobs on three hosts and says nothing,
 * the other is idle and offers all of its slots, which are the same ones.
 */
export const sharedGroupTrap = (seen: Seen): SimulatedWorld => ({
  name: "shared group trap",
  begin: (stage) =>
    zoomiesPlay(stage, setting, (whole) => {
      whole.controller.queueJobs("pool_busy", 6, 40 * minute);
      watch(whole, seen);
    }),
});

/** All jobs run by the tenth minute, and none has ended by the fortieth. */
function watch({ time, cloud, controller }: ZoomiesStage, seen: Seen): void {
  const begin = time.now();
  const look = () => {
    const passed = time.now() - begin;
    if (passed >= 40 * minute) return;
    const [idle] = controller.pass();
    if (passed >= 10 * minute) {
      if ((idle?.excess ?? 0) >= 6) seen.offers += 1;
      seen.leastHosts = Math.min(seen.leastHosts, cloud.group("shared")?.DesiredCapacity ?? 0);
    }
    time.after(minute, look);
  };
  time.after(minute, look);
}
