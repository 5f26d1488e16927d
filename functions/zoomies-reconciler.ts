import { environment } from "../lib/edge/environment.ts";
import { demandParts } from "../lib/zoomies/demand-parts.ts";
import { demandReconciler } from "../lib/zoomies/demand-reconciler.ts";

/** Every minute. */
export const handler = demandReconciler(demandParts(environment(process.env)));
