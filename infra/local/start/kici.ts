import { simulatedAgents } from "../kici/agents.ts";
import type { KiciEvent } from "../kici/events.ts";
import { type Job, kiciOrchestrator, type Orchestrator } from "../kici/orchestrator.ts";
import { workflows } from "../kici/workflows.ts";
import type { KiciScaler } from "../scalers.ts";
import type { Timeline } from "../timeline.ts";
import type { LocalWorld } from "../world.ts";

/** The scaler of `npm start`, served by a launch template with the tags that an operator would set. */
export const localScaler: KiciScaler = { name: "aws-linux", maxInstances: 3, maxLifetimeMinutes: 60 };

/** An image that is on the AMI already starts in a second. */
const startMs = 1_000;

type LocalKici = {
  orchestrator: Orchestrator;
  /** Short, so that a person sees its end. */
  firstJob: Job;
  stop(): void;
};

/** A KiCI orchestrator beside the world, with its workflows, and with agents on the instances that Drover launches. */
export function startKici(world: LocalWorld, lines: Timeline): LocalKici {
  let isStopped = false;
  const say = (text: string) => {
    if (!isStopped) lines.add({ source: "kici", text });
  };
  const run = workflows({
    api: world.api,
    secret: world.secrets.kici.value,
    onEnd(event, end) {
      const workflow = event.name === "kici.scaler.scale-up" ? "provision" : "teardown";
      const answer = "error" in end ? end.error : [end.status, end.instanceId].filter(Boolean).join(" ");
      say(`workflow ${workflow} for ${event.payload.agentId}: ${answer}`);
    },
  });
  const orchestrator = kiciOrchestrator(
    { scaler: localScaler.name, orchestratorUrl: "wss://kici.example.com/ws" },
    {
      now: () => world.cloud.world.now(),
      after: (ms, later) =>
        world.cloud.at(world.cloud.world.now() + ms, () => {
          if (!isStopped) later();
        }),
      random: Math.random,
      run,
      onEmitted: (event) => say(announcement(event)),
    },
  );
  const stopAgents = simulatedAgents(world.cloud, orchestrator, { startMs, say });
  return {
    orchestrator,
    firstJob: { durationMs: 3_000, cpus: 2 },
    stop() {
      isStopped = true;
      orchestrator.stop();
      stopAgents();
    },
  };
}

function announcement({ name, payload }: KiciEvent): string {
  return name === "kici.scaler.scale-up"
    ? `a job waits at scaler ${payload.scalerName}: sends scale-up for ${payload.agentId}`
    : `sends scale-down for ${payload.agentId}: ${payload.reason}`;
}
