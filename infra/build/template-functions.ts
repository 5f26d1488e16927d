import { type LocalFunction, readTemplate } from "../local/template.ts";
import { root } from "./entry-points.ts";

/** Parameters that switch on everything that template.yaml can do. */
export const everything: Readonly<Record<string, string>> = {
  Zoomies: "on",
  ZoomiesApiUrl: "https://zoomies.example.com",
  ZoomiesHostRoleArn: "arn:aws:iam::123456789012:role/zoomies-host",
  Kici: "on",
  KiciInstanceRoleArn: "arn:aws:iam::123456789012:role/kici-agent",
  HelmrControlPlaneUrl: "https://helmr.example.com",
  HandleInterruptions: "on",
};

export const examplePlace = { stack: "drover", region: "eu-west-1", account: "123456789012" } as const;

/** The functions of template.yaml with the environment that they would have in a stack called `drover` that does everything. */
export function templateFunctions(): readonly LocalFunction[] {
  return readTemplate(`${root}template.yaml`, examplePlace, everything).functions;
}
