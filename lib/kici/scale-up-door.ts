import type { HttpHandler } from "../edge/http-handler.ts";
import type { Answer } from "./answer.ts";
import { type DoorParts, frontDoor } from "./front-door.ts";
import type { LaunchParts } from "./parts.ts";
import { scaleUp } from "./scale-up.ts";
import { readScaleUp, type ScaleUpEvent } from "./scale-up-event.ts";
import { tellTrail } from "./tell-trail.ts";

/** No further launch is begun this long after the function began: the workflow should hear of it and try again. */
const walkMs = 8_000;
/** An attempt stays its driver's this long past the function's end, so that no two drive it at once. */
const leaseMarginMs = 5_000;

/** `POST /kici/scale-up` */
export function scaleUpDoor(parts: LaunchParts & DoorParts): HttpHandler {
  return frontDoor<LaunchParts & DoorParts, ScaleUpEvent>(parts, {
    read: readScaleUp,
    fields: ({ scalerName, agentId, requestId }) => ({
      scaler: scalerName,
      agent: agentId,
      requestId: requestId.slice(0, 128),
    }),
    async act(own, event, { beganAt, endsAt }) {
      const answer = await scaleUp(own, event, { walkUntil: beganAt + walkMs, leaseUntil: endsAt + leaseMarginMs });
      await tellRefusal(own, event, answer);
      return answer;
    },
  });
}

/** The trail's line about an agent that is not launched, and why. That another attempt is running decides nothing. */
async function tellRefusal(parts: LaunchParts, event: ScaleUpEvent, { refusal }: Answer): Promise<void> {
  if (refusal === undefined || refusal.code === "attempt_running") return;
  const { scalerName: scaler, agentId: agent, resources } = event;
  const line = { saw: { ...resources }, reasons: [refusal.message], outcome: `refused: ${refusal.code}` };
  await tellTrail(parts, { scaler, agent }, { ...line, decided: "launch nothing" });
}
