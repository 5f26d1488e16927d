import { createCloud } from "../../../infra/local/aws/cloud.ts";
import { apiFaults } from "../../../infra/local/zoomies/api/faults.ts";
import { inProcessSend } from "../../../infra/local/zoomies/api/in-process.ts";
import { zoomiesController } from "../../../infra/local/zoomies/controller.ts";
import type { HttpCall } from "../../../lib/edge/http-call.ts";
import { MemoryTable } from "../../ledger/memory-table.ts";
import type { Play, SimulatedWorld, Stage } from "../runner.ts";
import { actBeforeALook, cordonBehindALook } from "./cordons.ts";
import { deliveries } from "./deliveries.ts";
import { drover, hostsToken, joinsToken, signingSecret } from "./drover.ts";
import { fairCordon } from "./fair-cordon.ts";
import { fairRaise } from "./fair-raise.ts";
import type { Stretch } from "./hazards.ts";
import { github, load, minuteRuns, scheduler, workBehindACordon } from "./load.ts";
import { joinBehindALook, machines } from "./machines.ts";
import { maintenance } from "./maintenance.ts";
import { patience } from "./patience.ts";
import { people } from "./people.ts";
import { perils, withoutRunners } from "./peril.ts";
import { rules } from "./rules.ts";
import { account, drawSetting, minute, region, type Setting, schedulerIntervalMs } from "./setting.ts";
import { unsettled } from "./settled.ts";
import type { ZoomiesStage } from "./stage-parts.ts";

/** By then everything must have settled, whatever the load left behind; an hour's stop of raises is the longest wait. */
const settlesWithinMs = 180 * minute;
/** So long it must stay settled. */
const staysSettledMs = 4 * minute;

const apiTokens = {
  [hostsToken]: {
    role: "admin",
    scopes: ["hosts:cordon", "hosts:delete", "runners:drain", "pools:read"],
  },
  [joinsToken]: { role: "admin", scopes: ["joins:write"] },
} as const;

/**
 * The real webhook, join and reconciler between the simulated AWS and a stand-in Zoomies, on one virtual clock. `begin`
 * brings the jobs; random ones by default.
 */
export function zoomiesPlay(
  stage: Stage,
  setting: Setting,
  begin: (stage: ZoomiesStage) => void = (whole) => load(whole, whole.chance.fork()),
): Play {
  const { time, chance } = stage;
  const beganAt = time.now();
  const calmAt = beganAt + setting.loadMs;
  const calm = () => time.now() >= calmAt;
  const during = (stretches: readonly Stretch[]) => () =>
    stretches.some(({ from, to }) => isBetween(time.now() - beganAt, from, to));
  const { hazards } = setting;
  const isDown = during(hazards.downtimes);
  const isShort = during(hazards.shortLists);
  const isDeaf = during([...hazards.downtimes, ...hazards.deaf]);
  const controllerNow = () => time.now() + setting.skewMs;

  const { random } = chance.fork();
  const { describeLagMs } = setting;
  const timings = { decide: [1, 8], boot: [8, 40], enterService: [1, 6], shutdown: [10, 60] } as const;
  const cloud = createCloud({ clock: time, region, account, random, timings, describeLagMs });
  time.follow(cloud);
  for (const { name, spec } of setting.groups) cloud.createGroup(name, spec);

  // The parts know one another through the stage, which is whole before anything happens.
  let whole: ZoomiesStage | undefined;
  const all = (): ZoomiesStage => {
    if (whole === undefined) throw new Error("The stage is not set.");
    return whole;
  };
  const judge = rules(
    all,
    () => living,
    () => ({ most: raises.most, lacks: cordons.lacks }),
  );
  const runners = chance.fork();
  const controller = zoomiesController(
    {
      destinationUrl: "https://drover.example.com/zoomies/capacity",
      signingSecret,
      cooldownMs: setting.cooldownMs,
      runnerStartMs: () => runners.whole(1_000, 20_000),
      runnerEndMs: () => runners.whole(0, 5_000),
      apiTokens,
    },
    {
      clock: { now: controllerNow },
      random: chance.fork().random,
      onJobEnded: judge.onJobEnded,
      onSent: (event) =>
        stage.tell(() => `${event.pool_id} says ${event.current_capacity} ${event.required_runner_slots}`),
      ...deliveries(all, chance.fork(), isDeaf),
    },
  );
  const table = new MemoryTable();
  const passers = chance.fork();
  /** What others do at the worst moments of Drover's calls. */
  const meanwhile = ({ method, url: { pathname }, body = "" }: HttpCall) => {
    const [, cordonedId] = /\/hosts\/([^/]+)\/cordon$/.exec(pathname) ?? [];
    if (cordonedId !== undefined && body.includes("true")) workBehindACordon(all(), passers, cordonedId);
    if (method !== "GET") return;
    if (pathname.endsWith("/hosts")) {
      cordonBehindALook(all(), passers, living, table);
      joinBehindALook(all(), passers, living, table);
    }
    const [, hostId] = /\/hosts\/([^/]+)$/.exec(pathname) ?? [];
    if (hostId !== undefined) actBeforeALook(all(), passers, living, hostId);
  };
  const send = inProcessSend(controller.api, apiFaults(), (ms) => time.sleep(ms));
  let tokens = 0;
  const ours = drover({
    time,
    cloud,
    table,
    perils: perils(time, chance.fork(), hazards, calm),
    zoomies: (call) => {
      judge.onCall(call);
      meanwhile(call);
      return isShort() ? send(call).then((reply) => withoutRunners(call, reply)) : send(call);
    },
    newToken: () => {
      tokens += 1;
      return `token-${tokens}`;
    },
    log: stage.tell,
  });
  whole = {
    ...stage,
    setting,
    cloud,
    controller,
    controllerNow,
    calmAt,
    drover: isDownDrover(ours, isDown),
    cordonedBy: new Map(),
    handsOff: [],
    wholeRuns: [],
    quietUntil: new Map(),
    soundRuns: [],
  };

  const living = machines(all(), chance.fork(), judge.onJoined);
  const raises = fairRaise(all(), living);
  const cordons = fairCordon(all());
  cloud.on((event) => {
    judge.onEvent(event);
    if (event.type === "desired-capacity") stage.tell(`${event.group}: ${event.from} -> ${event.to} by ${event.actor}`);
  });
  for (const group of setting.groups) {
    for (const pool of group.pools) controller.addPool(pool);
    if (group.outsideSlots > 0) {
      const fixed = { name: `fixed-${group.name}`, capacity: group.outsideSlots, labels: { fleet: group.name } };
      controller.joinHost({ ...fixed, backend: group.pools[0]?.backend ?? "docker" });
    }
  }
  begin(all());
  github(all(), chance.fork());
  const late: string[] = [];
  const waits = patience(all(), living, () => isDown() || isShort());
  scheduler(all(), chance.fork(), schedulerIntervalMs, (readings) => {
    raises.onPass(readings);
    cordons.onPass();
    late.push(...waits());
  });
  minuteRuns(all(), chance.fork(), isDown);
  people(all(), chance.fork(), living, table);
  maintenance(all(), chance.fork(), living, table);

  let endsAt = calmAt + settlesWithinMs;
  let settledSince: number | undefined;
  const look = async () => {
    const isSettled = (await unsettled(all(), living, table)).length === 0;
    settledSince = isSettled ? (settledSince ?? time.now()) : undefined;
    if (settledSince !== undefined && time.now() - settledSince >= staysSettledMs) endsAt = time.now();
    else time.after(minute, () => void look());
  };
  time.at(calmAt + minute, () => void look());
  return {
    get endsAt() {
      return endsAt;
    },
    broken: () => [...judge.broken(), ...late.splice(0)],
    brokenAtEnd: () => unsettled(all(), living, table),
  };
}

const isBetween = (value: number, from: number, to: number): boolean => value >= from && value < to;

/** While Drover is down, instances that ask to join hear nothing good either. */
function isDownDrover(ours: ZoomiesStage["drover"], isDown: () => boolean): ZoomiesStage["drover"] {
  return { ...ours, join: async (id) => (isDown() ? { status: 503, answer: undefined } : ours.join(id)) };
}

export const world: SimulatedWorld = {
  name: "zoomies",
  begin: (stage) => zoomiesPlay(stage, drawSetting(stage.chance.fork())),
};
