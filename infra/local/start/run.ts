import { cloudEntry, functionEntry, timeline } from "../timeline.ts";
import { startLocalWorld } from "../world.ts";
import { removeWorldFile, type WorldFile, writeWorldFile } from "../world-file.ts";
import { firstDemand } from "./first-demand.ts";
import { helmrFleet, startLocalHelmr } from "./helmr.ts";
import { localScaler, startKici } from "./kici.ts";
import { localFleets } from "./pools.ts";
import { cooldownMs, passEveryMs, startZoomies } from "./zoomies.ts";
import { startZoomiesApi } from "./zoomies-api.ts";

/** How much faster than the template says schedules run here: every ten seconds for every minute. */
const scheduleSpeed = 6;
/** Seconds; a real host takes a minute or more. */
const shortTimings = { decide: 0.5, boot: 2, enterService: 1, shutdown: 2, healthCheck: 5 };
const settleEveryMs = 100;

const pace = `Here a minute run comes every ${60 / scheduleSpeed} s, Zoomies looks every ${passEveryMs / 1000} s and repeats an event after ${cooldownMs / 1000} s.`;
const acting = [
  `${pace} A boot takes ${shortTimings.boot} s. Hosts that were idle for a minute leave: about three minutes after the burst the group is back at its minimum.`,
  `Helmr's pool ${helmrFleet.pool} is supplied by ${helmrFleet.autoScalingGroup}: it grows from zero in a quarter of a minute, and its hosts leave one by ` +
    "one, from five minutes after the last of them was launched. Look into it with npm run helmr -- plan.",
];
const observing = [
  `${pace} Drover only observes: no group grows, and what it would have done is in npm run explain -- --fleet ${localFleets[0]?.name}.`,
];

export type LocalRun = {
  /** Resolves to whether the first demand came into service. */
  firstDemand: Promise<boolean>;
  close(): Promise<void>;
};

/** Starts the whole local world with its timeline, and lets the first demand happen. Rejects with EADDRINUSE for a taken port. */
export async function startRun(
  { port, observe }: { readonly port: number; readonly observe: boolean },
  folder: string,
  print: (line: string) => void,
): Promise<LocalRun> {
  const clock = { now: Date.now };
  const lines = timeline(print, clock);
  const api = await startZoomiesApi();
  const world = await startLocalWorld({
    clock,
    fleets: localFleets,
    scalers: [localScaler],
    port,
    zoomiesApi: api,
    parameters: { ZoomiesIntervalSeconds: String(passEveryMs / 1000), Mode: observe ? "observe" : "act" },
    aws: { timings: shortTimings },
    helmr: (cloud, stack) => startLocalHelmr(cloud, stack, lines),
    onLine: (_functionId, line) => lines.add(functionEntry(line)),
    onInvocation({ functionId, outcome }) {
      if (outcome.kind === "answered") return;
      const detail = outcome.kind === "failed" ? `${outcome.kind}: ${outcome.message}` : outcome.kind;
      lines.add({ source: "local", text: `${functionId} ${detail}` });
    },
  }).catch(async (error: unknown) => {
    await api.close();
    throw error;
  });
  const unlisten = world.cloud.on((event) => lines.add(cloudEntry(event)));
  const settling = setInterval(() => world.cloud.settle(), settleEveryMs);
  const demand = firstDemand(world.cloud);
  const zoomies = startZoomies(world, api, lines, demand.delivered);
  const kici = startKici(world, lines);
  const file: WorldFile = {
    api: world.api,
    aws: world.aws,
    dynamodb: world.dynamodb,
    table: world.table,
    stack: world.stack,
    deployed: world.deployed,
    ...(world.helmr === undefined ? {} : { controlPlane: world.helmr.url, helmrRegionId: world.helmr.regionId }),
    secrets: {
      zoomies: world.secrets.zoomies.value,
      kici: world.secrets.kici.value,
      ...(world.helmr === undefined ? {} : { helmr: world.helmr.token }),
    },
    fleets: localFleets.map(({ name, pools, slotsPerHost }) => ({ name, pools, slotsPerHost })),
    zoomiesApi: { url: api.url, hostsToken: api.hostsToken, joinsToken: api.joinsToken },
    scaler: localScaler.name,
  };
  writeWorldFile(folder, file);
  // Also after an error that ends the process.
  const removeFile = () => removeWorldFile(folder, file);
  process.once("exit", removeFile);

  print(`Drover listens on ${world.api}/zoomies/capacity and /kici/scale-up; everything else is in .local/world.json.`);
  for (const line of observe ? observing : acting) print(line);
  world.schedules.start(scheduleSpeed);
  zoomies.controller.queueJobs(localFleets[0]?.pools[0] ?? "", demand.jobs, demand.jobMs);
  zoomies.controller.pass();
  kici.orchestrator.queueJob(kici.firstJob);

  return {
    firstDemand: demand.inService,
    async close() {
      zoomies.stop();
      kici.stop();
      clearInterval(settling);
      unlisten();
      demand.stop();
      await world.close();
      await api.close();
      removeFile();
      process.off("exit", removeFile);
    },
  };
}
