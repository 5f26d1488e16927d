import { afterEach, expect, test, vi } from "vitest";
import { createCloud } from "../../infra/local/aws/cloud.ts";
import { ManualClock } from "../../infra/local/aws/sim-clock.ts";
import { groupOf } from "../../infra/local/fleets.ts";
import { firstDemand } from "../../infra/local/start/first-demand.ts";
import { localFleets } from "../../infra/local/start/pools.ts";

const [fleet] = localFleets as [(typeof localFleets)[number]];
const taken = { delivered: true, tries: 1, status: 204, outcome: "applied", error: undefined };
afterEach(() => {
  vi.useRealTimers();
});

function watched() {
  const clock = new ManualClock(Date.UTC(2026, 8, 5, 12));
  const cloud = createCloud({ clock });
  // Nobody answers the launch hook here.
  cloud.createGroup(fleet.name, { ...groupOf(fleet, "drover"), hooks: [] });
  const demand = firstDemand(cloud);
  let result: boolean | undefined;
  void demand.inService.then((value) => {
    result = value;
  });
  const later = async (ms: number) => {
    clock.advance(ms);
    cloud.settle();
    await new Promise(setImmediate);
    return result;
  };
  return { cloud, demand, later };
}

test("the first demand is met once all its hosts are in service, and not with the first of them", async () => {
  const { cloud, demand, later } = watched();
  demand.delivered({} as never, taken);
  cloud.setDesired(fleet.name, 1);
  expect(await later(60_000)).toBeUndefined();
  cloud.setDesired(fleet.name, Math.ceil(demand.jobs / fleet.slotsPerHost));
  expect(await later(60_000)).toBe(true);
  demand.stop();
});

test("an event that was not taken is a failure at once", async () => {
  const { demand, later } = watched();
  demand.delivered({} as never, { ...taken, delivered: false, tries: 3, status: 503 });
  expect(await later(0)).toBe(false);
  demand.stop();
});

test("a minute without enough hosts is a failure", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { demand, later } = watched();
  demand.delivered({} as never, taken);
  vi.advanceTimersByTime(59_999);
  expect(await later(0)).toBeUndefined();
  vi.advanceTimersByTime(1);
  expect(await later(0)).toBe(false);
  demand.stop();
});
