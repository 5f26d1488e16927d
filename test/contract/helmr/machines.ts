import { seededRandom } from "../../../infra/local/aws/random.ts";
import { createSchedule, type Schedule } from "../../../infra/local/aws/schedule.ts";
import { ManualClock } from "../../../infra/local/aws/sim-clock.ts";
import { ControlPlaneModel } from "../../../infra/local/helmr/model/control-plane-model.ts";
import type { ModelOptions } from "../../../infra/local/helmr/model/options.ts";
import type { Group, Host, Pool } from "../../../infra/local/helmr/model/state.ts";
import type { WorkerTimings } from "../../../infra/local/helmr/worker-timings.ts";
import { createWorkers, type WorkerFate, type Workers } from "../../../infra/local/helmr/workers.ts";
import { start, template } from "./setting.ts";

/** A group whose machines are started and taken away by the test, on its own clock. */
export interface Machines {
  readonly model: ControlPlaneModel;
  readonly workers: Workers;
  readonly agenda: Schedule;
  readonly random: () => number;
  readonly group: Group;
  readonly pool: Pool;
  /** Lets time pass, with everything that is due in it. */
  pass(seconds: number): void;
  now(): number;
  startMachine(instanceId: string): void;
  /** The machine's newest row. */
  row(instanceId: string): Host;
}

export function machines(
  options: { fate?: (instanceId: string) => WorkerFate; timings?: Partial<WorkerTimings>; seed?: number } & Partial<
    Pick<ModelOptions, "lostFromReady">
  > = {},
): Machines {
  const clock = new ManualClock(start);
  const agenda = createSchedule();
  const now = () => agenda.running ?? clock.now();
  const random = seededRandom(options.seed ?? 11);
  const model = new ControlPlaneModel({ clock: { now }, random });
  const group = model.addGroup("default", "aws-us-east-1");
  const pool = model.addPool(group.id, "general");
  const { fate, timings } = options;
  const workers = createWorkers({
    model,
    agenda,
    random,
    timings: { bootMs: [40_000, 40_000], ...timings },
    ...(fate === undefined ? {} : { fate }),
  });
  workers.serve("asg", { groupId: group.id, poolName: pool.name, template });
  return {
    model,
    workers,
    agenda,
    random,
    group,
    pool,
    now,
    pass(seconds) {
      for (let second = 0; second < seconds; second += 1) {
        clock.advance(1_000);
        agenda.runDue(clock.now());
        model.settle();
      }
    },
    startMachine: (instanceId) => workers.instanceStarted(instanceId, "asg", now()),
    row(instanceId) {
      const host = group.rows.get(instanceId)?.at(-1);
      if (host === undefined) throw new Error(`${instanceId} never enrolled`);
      return host;
    },
  };
}
