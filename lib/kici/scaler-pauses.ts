import type { LaunchTemplates } from "../capacity/launch-templates.ts";
import { kiciScalerTag } from "../capacity/scaler-fleet.ts";

/** Whether a scaler is only observed for now: a launch template that serves it carries `drover:paused`. */
export const scalerPauses =
  (templates: Pick<LaunchTemplates, "tagged">) =>
  async (scaler: string): Promise<boolean> =>
    (await templates.tagged(kiciScalerTag, scaler)).some(({ tags }) => tags["drover:paused"] !== undefined);
