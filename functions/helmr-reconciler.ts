import { environment } from "../lib/edge/environment.ts";
import { helmrParts } from "../lib/helmr/helmr-parts.ts";
import { helmrReconciler } from "../lib/helmr/helmr-reconciler.ts";

const env = environment(process.env);

/** Every minute, for as long as it takes the next one to take over; idle while no Control Plane is set. */
export const handler =
  env.optional("DROVER_HELMR_URL") === undefined ? async () => {} : helmrReconciler(helmrParts(env));
