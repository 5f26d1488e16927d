import { AwsError } from "./aws-error.ts";
import type { CloudListener } from "./cloud-events.ts";
import { type CloudOptions, createWorld } from "./create-world.ts";
import type { Service } from "./operation.ts";
import { operations } from "./operations.ts";
import { createOperator, type Operator } from "./operator/operator.ts";
import type { DescribeLag } from "./views.ts";
import type { World } from "./world.ts";

export type { CloudOptions } from "./create-world.ts";

/**
 * One simulated account and region: a model of discrete events. A call first lets everything happen that is due by the clock, in
 * the order of time; between calls nothing happens. With equal clock, random source and calls, two clouds are equal.
 */
export interface Cloud extends Operator {
  /** Performs an API operation: SDK input to SDK output. Throws AwsError. `caller` names who asks in events and logs. */
  call(service: Service, operation: string, input: object, caller?: string): object;
  /** Lets what is due by the clock happen, without a call. */
  settle(): void;
  /** When the next thing will happen by itself, in epoch milliseconds; a simulation can jump there. */
  nextChangeAt(): number | undefined;
  /** Plans something for a later instant of this world's time. */
  at(time: number, run: () => void): void;
  /** Listens to everything that happens; the answer ends it. */
  on(listener: CloudListener): () => void;
  /** Changes how far behind reads are from here on. */
  setDescribeLag(lag: DescribeLag): void;
  /** The bare state, for invariants; change it through the operator's methods only. */
  readonly world: World;
}

export function createCloud(options: CloudOptions): Cloud {
  const listeners = new Set<CloudListener>();
  let lag = options.describeLagMs ?? 0;
  const { world, schedule } = createWorld(
    options,
    () => lag,
    (event) => {
      for (const listener of listeners) listener(event);
    },
  );
  const settle = () => schedule.runDue(options.clock.now());
  return {
    ...createOperator(world, settle),
    world,
    settle,
    call(service, operation, input, caller = "unknown") {
      settle();
      const perform = Object.hasOwn(operations[service], operation) ? operations[service][operation] : undefined;
      if (perform === undefined) throw new AwsError("InvalidAction", `Could not find operation ${operation}`);
      return perform(world, structuredClone(input) as never, caller);
    },
    nextChangeAt: () => schedule.next(),
    at: (time, run) => schedule.at(time, run),
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setDescribeLag(next) {
      settle();
      if (lag === 0) for (const views of [world.groupViews, world.instanceViews]) views.begin();
      lag = next;
    },
  };
}
