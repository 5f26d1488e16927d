import type { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import type { EC2Client } from "@aws-sdk/client-ec2";
import { inProcessClient } from "../../../infra/local/aws/in-process.ts";
import { inProcessControlPlane } from "../../../infra/local/helmr/in-process.ts";
import { uuidV7 } from "../../../infra/local/helmr/model/uuid.ts";
import { autoScalingGroups } from "../../../lib/capacity/auto-scaling-groups.ts";
import { autoScalingHooks } from "../../../lib/capacity/auto-scaling-hooks.ts";
import { autoScalingShrink } from "../../../lib/capacity/auto-scaling-shrink.ts";
import { ec2InstanceStates } from "../../../lib/capacity/ec2-instance-states.ts";
import { autoScalingLaunchFailures } from "../../../lib/capacity/launch-failures.ts";
import type { Logger } from "../../../lib/edge/logger.ts";
import { helmrActs } from "../../../lib/helmr/acts.ts";
import type { ControlPlane } from "../../../lib/helmr/control-plane.ts";
import type { DrainDetail, DrainPhase } from "../../../lib/helmr/drain-operation.ts";
import { type HelmrRun, helmrRun } from "../../../lib/helmr/helmr-run.ts";
import { defaultHelmrSettings, type HelmrParts } from "../../../lib/helmr/parts.ts";
import { ledgerPauses } from "../../../lib/helmr/pause.ts";
import { ledgerLeases } from "../../../lib/ledger/leases.ts";
import { ledgerOperations } from "../../../lib/ledger/operations.ts";
import { ledgerRecords } from "../../../lib/ledger/records.ts";
import { ledgerTrail } from "../../../lib/ledger/trail.ts";
import { type Life, life, type Peril, perilous } from "../crash-points.ts";
import { peril } from "./peril.ts";
import { regionId, type Scene, stack } from "./scene.ts";
import { followFeed } from "./updates.ts";
import type { HelmrCall, Witness } from "./witness.ts";

/** As template.yaml has it: how long an invocation serves, and when Lambda ends it. */
const budgetMs = 180_000;
const timeoutMs = 210_000;

/** Shorter than the defaults where only patience is concerned, so that a play shows more in its time. */
export const simulatedSettings = {
  ...defaultHelmrSettings,
  cooldownMs: 150_000,
  readinessMs: 240_000,
  regionId,
  workerRevision: undefined,
};

export interface Invocations {
  /** Lambda starts the function once more, whatever others still run. */
  start(): void;
  /** How those ended that did not die. */
  readonly ended: readonly (HelmrRun | { readonly thrown: unknown })[];
}

export function invocations(scene: Scene, witness: Required<Witness>): Invocations {
  const { time } = scene;
  const dangers = peril(scene);
  const ended: (HelmrRun | { thrown: unknown })[] = [];
  let count = 0;
  return {
    ended,
    start() {
      count += 1;
      const alive = life(`drover-${count}`);
      const startedAt = time.now();
      scene.tell(`${alive.name} starts`);
      time.after(timeoutMs, () => alive.end());
      const remainingMs = () => startedAt + timeoutMs - time.now();
      helmrRun(partsOf(scene, alive, dangers, witness), { budgetMs, remainingMs }).then(
        (run) => {
          scene.tell(`${alive.name} ends: ${JSON.stringify(run)}`);
          ended.push(run);
          alive.end();
        },
        (thrown: unknown) => {
          scene.tell(`${alive.name} throws: ${String(thrown)}`);
          ended.push({ thrown });
          alive.end();
        },
      );
    },
  };
}

function partsOf(scene: Scene, alive: Life, dangers: Peril, witness: Required<Witness>): HelmrParts {
  const { time, model, chance } = scene;
  const clock = time;
  const own = chance.fork();
  let tokens = 0;
  const newToken = () => {
    tokens += 1;
    return `${alive.name}.${tokens}`;
  };
  const table = perilous(scene.table, "ledger", alive, dangers);
  const records = ledgerRecords(table, clock, newToken);
  const client = awsClient(scene, alive, dangers, witness);
  const clients = { reads: client as AutoScalingClient, mutations: client as AutoScalingClient };
  return {
    groups: autoScalingGroups(clients, stack),
    shrink: autoScalingShrink(clients),
    hooks: autoScalingHooks(clients),
    instances: ec2InstanceStates(client as EC2Client),
    launchFailures: autoScalingLaunchFailures(client as AutoScalingClient),
    controlPlane: watchedControlPlane(),
    acts: helmrActs,
    followUpdates: (onChange, onLost) => followFeed(scene, alive, onChange, onLost),
    records,
    leases: ledgerLeases(records, clock),
    operations: ledgerOperations<DrainPhase, DrainDetail>(records, table, clock),
    trail: ledgerTrail(records, table, clock, newToken),
    pauses: ledgerPauses(records, clock),
    clock,
    logger: telling(scene, alive),
    metrics: { count: (...[name, value]) => scene.tell(`${alive.name} metric ${name} ${value}`) },
    newToken,
    newId: () => uuidV7(time.now(), own.random),
    wait: (ms, signal) => waiting(scene, alive, ms, signal),
    settings: simulatedSettings,
  };

  function watchedControlPlane(): ControlPlane {
    const served = inProcessControlPlane(model, { token: () => scene.secret.token, caller: alive.name });
    const inside = intercepted(served, (method, args, effect) => {
      const call: HelmrCall = { life: alive, method, args };
      return effect().then((answer) => {
        witness.helmrServed(call, answer);
        return answer;
      });
    });
    return intercepted(perilous(inside, "helmr", alive, dangers), async (method, args, effect) => {
      const call: HelmrCall = { life: alive, method, args };
      if (alive.alive) witness.helmrSent(call);
      try {
        const answer = await effect();
        witness.helmrHeard(call, { answer });
        return answer;
      } catch (error) {
        if (alive.alive) witness.helmrHeard(call, { error });
        throw error;
      }
    });
  }
}

type Intercept = (
  method: keyof ControlPlane,
  args: readonly unknown[],
  effect: () => Promise<unknown>,
) => Promise<unknown>;

function intercepted(port: ControlPlane, around: Intercept): ControlPlane {
  return new Proxy(port, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key);
      if (typeof method !== "function") return method;
      return (...args: unknown[]) =>
        around(key as keyof ControlPlane, args, async () => method.apply(target, args) as unknown);
    },
  });
}

function awsClient(scene: Scene, alive: Life, dangers: Peril, witness: Required<Witness>): unknown {
  const aws = inProcessClient(scene.cloud, { caller: alive.name });
  return {
    async send(command: Parameters<typeof aws.send>[0]): Promise<unknown> {
      const { name } = command.constructor;
      const call = { life: alive, name, input: command.input as Record<string, unknown> };
      if (alive.alive) witness.awsSent(call);
      const effect = async () => {
        const answer: unknown = await aws.send(command);
        witness.awsServed(call);
        return answer;
      };
      const answer = await (perilous({ [name]: effect }, "aws", alive, dangers)[name] as typeof effect)();
      witness.awsHeard(call, answer);
      return answer;
    },
    destroy() {},
  };
}

async function waiting({ time }: Scene, alive: Life, ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) return resolve();
    const goOn = () => {
      signal.removeEventListener("abort", goOn);
      if (alive.alive) resolve();
    };
    signal.addEventListener("abort", goOn);
    time.after(ms, goOn);
  });
}

function telling(scene: Scene, alive: Life): Logger {
  const logger: Logger = {
    log: (level, message, fields = {}) => scene.tell(`${alive.name} ${level} ${message} ${JSON.stringify(fields)}`),
    with: () => logger,
  };
  return logger;
}
