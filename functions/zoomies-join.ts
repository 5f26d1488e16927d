import { environment } from "../lib/edge/environment.ts";
import { zoomiesJoin } from "../lib/zoomies/join.ts";
import { joinParts } from "../lib/zoomies/join-wiring.ts";

/** `POST /zoomies/join`, signed with the instance's own role. */
export const handler = zoomiesJoin(joinParts(environment(process.env)));
