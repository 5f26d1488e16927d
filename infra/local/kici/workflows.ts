import { forwardToDrover, type Surroundings } from "../../examples/kici/forward-to-drover.ts";
import type { KiciEvent } from "./events.ts";

export type WorkflowParts = {
  /** Of Drover's HTTP API. */
  api: string;
  secret: string;
  surroundings?: Surroundings;
  /** How a run ended: Drover's answer, or why the step failed. */
  onEnd?(event: KiciEvent, end: { status: string; instanceId?: string | undefined } | { error: string }): void;
};

const routes = { "kici.scaler.scale-up": "scale-up", "kici.scaler.scale-down": "scale-down" } as const;

/** The user's two workflows: both only forward, with the very file that users copy. */
export function workflows({ api, secret, surroundings, onEnd }: WorkflowParts): (event: KiciEvent) => Promise<void> {
  return async (event) => {
    const drover = { url: `${api}/kici/${routes[event.name]}`, secret };
    try {
      onEnd?.(event, await forwardToDrover(drover, event.payload, surroundings));
    } catch (error) {
      onEnd?.(event, { error: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  };
}
