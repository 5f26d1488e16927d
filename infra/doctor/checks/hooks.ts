import type { Check, Diagnosis } from "../diagnosis.ts";
import { zoomiesGroups } from "../fleets.ts";
import { integrations } from "../integrations.ts";
import { shrinks } from "./safety.ts";

/** The launch hook of groups whose hosts join by themselves. */
export const hooks: Check = (facts) => {
  if (!integrations(facts.stack).zoomiesHosts) return [];
  const least = 2 * Number(facts.stack.parameters["JoinDeadlineMinutes"] ?? 10) * 60;
  return zoomiesGroups(facts).flatMap((each): Diagnosis[] => {
    if (!shrinks(each)) return [];
    const resource = each.group.name;
    const launching = each.hooks.filter(({ transition }) => transition === "launching");
    const hook = launching.find(({ name }) => name.startsWith("drover")) ?? launching[0];
    if (hook === undefined) {
      const why = "Instances are in service before they have joined, and one that never joins is not abandoned.";
      const fix = `Add a launch hook with the default result CONTINUE and a timeout of at least ${least} s.`;
      return [{ severity: "error", code: "no_launch_hook", resource, what: "The group has no launch hook.", why, fix }];
    }
    const found: Diagnosis[] = [];
    if (hook.defaultResult !== "CONTINUE") {
      const what = `The launch hook ${hook.name} abandons instances when its time is over.`;
      const why = "A host that joined while Drover could not answer would be ended with its jobs.";
      found.push({
        severity: "error",
        code: "hook_abandons",
        resource,
        what,
        why,
        fix: "Set its default result to CONTINUE.",
      });
    }
    if (hook.heartbeatSeconds < least) {
      const what = `The launch hook ${hook.name} waits ${hook.heartbeatSeconds} s.`;
      const why = "It ends before Drover has decided, and an instance that never joined goes into service.";
      const fix = `Set its timeout to at least ${least} s, twice JoinDeadlineMinutes.`;
      found.push({ severity: "error", code: "hook_too_short", resource, what, why, fix });
    }
    return found;
  });
};
