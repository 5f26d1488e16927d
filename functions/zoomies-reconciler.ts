import { environment } from "../lib/edge/environment.ts";
import { demandParts } from "../lib/zoomies/demand-parts.ts";
import { demandReconciler } from "../lib/zoomies/demand-reconciler.ts";
import { lifeParts } from "../lib/zoomies/life-parts.ts";
import { scalingClients } from "../lib/zoomies/scaling-clients.ts";

const env = environment(process.env);
const clients = scalingClients();

/** Every minute. */
export const handler = demandReconciler(demandParts(env, clients), lifeParts(env, clients));
