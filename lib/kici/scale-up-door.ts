import type { HttpHandler } from "../edge/http-handler.ts";
import { type DoorParts, frontDoor } from "./front-door.ts";
import type { LaunchParts } from "./parts.ts";
import { scaleUp } from "./scale-up.ts";
import { readScaleUp, type ScaleUpEvent } from "./scale-up-event.ts";

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
    act: (own, event, { beganAt, endsAt }) =>
      scaleUp(own, event, { walkUntil: beganAt + walkMs, leaseUntil: endsAt + leaseMarginMs }),
  });
}
