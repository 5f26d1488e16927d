import { OnlyObserving, refusing } from "../edge/mode.ts";
import type { ControlPlane } from "./control-plane.ts";

const mutations = [
  "replaceResourcePolicy",
  "scaleIn",
  "setPrimaryPool",
  "drain",
  "lost",
  "createPool",
  "disablePool",
] as const;

/**
 * The Control Plane as a stack that only observes has it. A plan is a mutation too: it publishes evidence that Helmr
 * admits work against. It is made only where `plans` says so.
 */
export function observingControlPlane(
  controlPlane: ControlPlane,
  { plans }: { readonly plans: boolean },
): ControlPlane {
  const refused = refusing(controlPlane, mutations);
  return plans ? refused : { ...refused, plan: () => Promise.reject(new PlanNotAllowed()) };
}

/** No plan was made, because this stack only observes and its parameter ObserveHelmrPlans is not true. */
export class PlanNotAllowed extends OnlyObserving {
  constructor() {
    super("plan");
  }
}
