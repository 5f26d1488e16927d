import { type LocalFunction, readTemplate } from "../local/template.ts";
import { root } from "./entry-points.ts";

/** The functions of template.yaml with the environment that they would have in a stack called `drover`. */
export function templateFunctions(): readonly LocalFunction[] {
  return readTemplate(`${root}template.yaml`, { stack: "drover", region: "eu-west-1", account: "123456789012" })
    .functions;
}
