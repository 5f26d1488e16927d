import type { HttpHandler } from "../edge/http-handler.ts";
import { type DoorParts, frontDoor } from "./front-door.ts";
import { scaleDown } from "./scale-down.ts";
import { isKnownReason, readScaleDown, type ScaleDownEvent } from "./scale-down-event.ts";

/** `POST /kici/scale-down` */
export function scaleDownDoor(parts: DoorParts): HttpHandler {
  return frontDoor<DoorParts, ScaleDownEvent>(parts, {
    read: readScaleDown,
    fields: ({ scalerName, agentId, requestId, reason }) => ({
      scaler: scalerName,
      agent: agentId,
      requestId: requestId.slice(0, 128),
      reason,
    }),
    act(own, event) {
      if (!isKnownReason(event.reason)) own.logger.log("warn", "unknown reason, torn down all the same");
      return scaleDown(own, event);
    },
  });
}
