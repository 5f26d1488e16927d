import { setTimeout as sleep } from "node:timers/promises";
import { httpSend } from "../../../lib/edge/http-call.ts";
import { signedHeaders } from "../http/sigv4.ts";
import type { LocalWorld } from "../world.ts";
import type { Controller } from "../zoomies/controller.ts";
import { localFleets } from "./pools.ts";

/** From a running machine to its user data's first ask, and from one ask to the next. */
const ASK_MS = 1_000;

/** What user data needs of Drover's answer. */
type Offer = {
  token: string;
  name: string;
  capacity: number;
  labels: Readonly<Record<string, string>>;
  backend: string;
};

/** The instances' user data and agents: each asks Drover for a token with its own role, joins, and dies with its instance. */
export function startAgents(world: LocalWorld, controller: Controller, say: (text: string) => void) {
  const send = httpSend();
  const ended = new AbortController();

  async function ask(instance: string): Promise<Offer | undefined> {
    const url = new URL("/zoomies/join", world.api);
    const place = { region: world.cloud.world.region, service: "execute-api" };
    const headers = signedHeaders("POST", url, world.role.credentials(instance), place, Date.now());
    const reply = await send({ method: "POST", url, headers, timeoutMs: 10_000, mostBytes: 64 * 1024 });
    return reply.status === 200 ? (JSON.parse(reply.body.toString()) as Offer) : undefined;
  }

  async function boot(instance: string, group: string): Promise<void> {
    const fleet = localFleets.find(({ name }) => name === group);
    // Helmr's hosts have user data of their own.
    if (fleet === undefined) return;
    const { os, arch } = fleet.hostLabels;
    const isRunning = () => world.cloud.world.instances.get(instance)?.state === "running";
    for (;;) {
      await sleep(ASK_MS, undefined, { signal: ended.signal, ref: false });
      if (!isRunning()) return;
      const offer = await ask(instance).catch(() => undefined);
      if (offer === undefined) continue;
      const { token, ...agent } = offer;
      const joined = controller.redeem(token, { ...agent, os, arch });
      if ("refused" in joined) continue;
      say(`host ${offer.name} joined with ${joined.host.capacity} slots`);
      // A join nudges the scheduler.
      return void controller.pass();
    }
  }

  const unlisten = world.cloud.on((event) => {
    if (event.type !== "instance-state") return;
    if (event.to === "running" && event.group !== undefined) {
      boot(event.instanceId, event.group).catch((error: unknown) => {
        if (!ended.signal.aborted) throw error;
      });
    }
    if (event.to === "shutting-down") controller.endMachine(event.instanceId);
  });
  return {
    stop() {
      unlisten();
      ended.abort();
    },
  };
}
