import { countRefusal } from "../capacity/count-refusal.ts";
import { errorCode } from "../capacity/error-codes.ts";
import { errorFields } from "../edge/logger.ts";
import type { Effect } from "./host-effects.ts";
import type { HostAction } from "./host-observation.ts";
import type { Performing } from "./perform-host-action.ts";

/** One action and what became of it. */
export interface Done {
  readonly action: HostAction;
  readonly effect: Effect;
}

/** Heartbeats and completions of a burst go out so many at once. */
const atOnce = 4;

/** Performs every action; one that fails stops none of the others (cases.md 20). */
export async function performAll(doing: Performing, actions: readonly HostAction[]): Promise<Done[]> {
  const { parts, lease } = doing;
  const queue = [...actions];
  const done: Done[] = [];
  async function worker(): Promise<void> {
    for (let action = queue.shift(); action !== undefined; action = queue.shift()) {
      const effect = await performOne(doing, action);
      const { kind, instance, reason } = action;
      if (effect.abandoned) {
        parts.metrics.count("Launches", 1, { Outcome: "abandoned", Fleet: lease.name });
      }
      parts.logger.log(effect.failed ? "error" : "info", "host", { kind, instance, reason, outcome: effect.said });
      done.push({ action, effect });
    }
  }
  // What ends an instance goes one at a time, each on the lease's newest record.
  const one = actions.some(({ kind }) => kind.startsWith("terminate"));
  await Promise.all(Array.from({ length: one ? 1 : atOnce }, worker));
  return done;
}

async function performOne(doing: Performing, action: HostAction): Promise<Effect> {
  const { parts, lease, observation } = doing;
  try {
    return await parts.life.acts.perform(doing, action);
  } catch (error) {
    parts.logger.log("error", "unanswered", { kind: action.kind, instance: action.instance, ...errorFields(error) });
    countRefusal(parts.metrics, errorCode(error), { Fleet: lease.name });
    // Nothing is known of a terminate that never left: its guards threw, and it may turn back.
    const first = observation.record.instances[action.instance]?.drain?.phase !== "terminating";
    const back = action.kind === "terminate" && first ? { drain: { phase: "cordoned" } as const } : {};
    return { said: "no answer", failed: true, ...back };
  }
}
