import type { Cloud } from "../../../infra/local/aws/cloud.ts";
import type { Controller } from "../../../infra/local/zoomies/controller.ts";
import type { Chance } from "../chance.ts";
import type { Stage } from "../runner.ts";
import type { Drover } from "./drover.ts";
import type { Setting } from "./setting.ts";

/** One seed's world, as its parts act on one another. */
export interface ZoomiesStage extends Stage {
  readonly setting: Setting;
  readonly cloud: Cloud;
  readonly controller: Controller;
  /** Zoomies' own clock. */
  controllerNow(): number;
  readonly drover: Drover;
  /** When the load ends; from then on nothing more goes wrong. */
  readonly calmAt: number;
  /** Who cordoned or uncordoned a host last, by host id. */
  readonly cordonedBy: Map<string, { readonly by: "drover" | "a person"; readonly at: number }>;
  /** Since when a group must not be shrunk, by its name. */
  readonly handsOffSince: Map<string, number>;
}

export const isCalm = ({ time, calmAt }: Pick<ZoomiesStage, "time" | "calmAt">): boolean => time.now() >= calmAt;

/** Does something again and again until the calm, after times drawn around a mean of `meanMs`. */
export function nowAndThen(stage: ZoomiesStage, chance: Chance, meanMs: number | undefined, act: () => void): void {
  if (meanMs === undefined) return;
  const again = () => {
    stage.time.after(meanMs * chance.between(0.2, 1.8), () => {
      if (isCalm(stage)) return;
      act();
      again();
    });
  };
  again();
}
