import { type AgentsOptions, simulatedAgents } from "../../../infra/local/kici/agents.ts";
import type { KiciEvent } from "../../../infra/local/kici/events.ts";
import { kiciOrchestrator, type Orchestrator } from "../../../infra/local/kici/orchestrator.ts";
import { workflows } from "../../../infra/local/kici/workflows.ts";
import { type KiciWorld, scaler, startKici } from "../../kici/kici-world.ts";

export type KiciPeers = {
  world: KiciWorld;
  orchestrator: Orchestrator;
  /** What was emitted, oldest first. */
  events: readonly KiciEvent[];
  /** How each workflow run ended: Drover's status word, or the error. */
  ends: readonly string[];
  /** What happened on instances. */
  said: readonly string[];
  /** Lets time pass, with everything that happens in it. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
};

/** An orchestrator, its workflows and its agents beside a test world, all in the world's time. */
export async function startPeers(options: Pick<AgentsOptions, "fateOf"> = {}): Promise<KiciPeers> {
  const world = await startKici();
  const { cloud, clock } = world;
  const events: KiciEvent[] = [];
  const ends: string[] = [];
  const said: string[] = [];
  // Requests on their way take no time of this world; only pauses between tries do.
  let atWork = 0;
  let look = () => {};
  const works = (by: number) => {
    atWork += by;
    look();
  };
  const forward = workflows({
    api: world.api,
    secret: world.secrets.kici.value,
    surroundings: {
      now: () => clock.now(),
      random: () => 0.5,
      async wait(ms) {
        const waited = new Promise<void>((resolve) => cloud.at(cloud.world.now() + ms, resolve));
        works(-1);
        await waited;
        works(+1);
      },
    },
    onEnd: (_event, end) => ends.push("error" in end ? end.error : end.status),
  });
  const orchestrator = kiciOrchestrator(
    { scaler, orchestratorUrl: "wss://ci.example.com/ws" },
    {
      now: () => cloud.world.now(),
      after: (ms, run) => cloud.at(cloud.world.now() + ms, run),
      random: cloud.world.random,
      async run(event) {
        works(+1);
        await forward(event).finally(() => works(-1));
      },
      onEmitted: (event) => events.push(event),
    },
  );
  const stopAgents = simulatedAgents(cloud, orchestrator, { ...options, say: (text) => said.push(text) });

  async function quiet(): Promise<void> {
    // A pause that is over goes on a moment later.
    await Promise.resolve();
    while (atWork > 0) {
      await new Promise<void>((resolve) => {
        look = resolve;
      });
    }
  }

  return {
    world,
    orchestrator,
    events,
    ends,
    said,
    async pass(ms) {
      const until = clock.now() + ms;
      while (clock.now() < until) {
        world.setTime(Math.min(until, Math.max(clock.now(), cloud.nextChangeAt() ?? until)));
        await quiet();
      }
    },
    async close() {
      orchestrator.stop();
      stopAgents();
      await world.close();
    },
  };
}
