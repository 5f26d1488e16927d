import type { Deployed } from "./facts.ts";

/** Which integrations a stack has on, by its parameters and outputs. */
export function integrations({ parameters, outputs }: Deployed) {
  const isSet = (name: string) => (parameters[name] ?? "") !== "";
  const zoomies = parameters["Zoomies"] !== "off";
  return {
    zoomies,
    /** Zoomies' API is set: hosts join and leave. */
    zoomiesHosts: zoomies && isSet("ZoomiesApiUrl"),
    helmr: isSet("HelmrControlPlaneUrl"),
    kici: parameters["Kici"] === undefined ? outputs["KiciScaleUpUrl"] !== undefined : parameters["Kici"] === "on",
  };
}
