import { environment } from "../../lib/edge/environment.ts";
import { demandParts } from "../../lib/zoomies/demand-parts.ts";
import { lifeParts } from "../../lib/zoomies/life-parts.ts";
import { planGroups } from "../../lib/zoomies/plan.ts";
import { scalingClients } from "../../lib/zoomies/scaling-clients.ts";
import { planLines } from "./plan-lines.ts";
import { planVariables, usage } from "./variables.ts";

/** `npm run zoomies -- plan`: a dry run of the minute run with one's own credentials. It changes and writes nothing. */
async function main(): Promise<number> {
  const variables = planVariables(process.argv.slice(2), process.env);
  if (typeof variables === "string") {
    console.error(`${variables}\n\n${usage}`);
    return 2;
  }
  const env = environment(variables);
  const clients = scalingClients();
  const quiet = { log: () => undefined, with: () => quiet };
  const parts = { ...demandParts(env, clients), logger: quiet, metrics: { count: () => undefined } };
  const plan = await planGroups(parts, lifeParts(env, clients));
  for (const line of planLines(plan)) console.log(line);
  return plan.unseen === undefined ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
