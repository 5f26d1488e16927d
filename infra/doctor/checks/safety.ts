import { unsafeToGrow, unsafeToShrink } from "../../../lib/capacity/safety.ts";
import { type Check, diagnosed } from "../diagnosis.ts";
import type { GroupFacts } from "../facts.ts";
import { valueOr } from "../known.ts";

/** Whether hosts of the group are taken away at all. */
export const shrinks = ({ group }: GroupFacts): boolean => group.tags["drover:scale-in"] === "verified";

/** The functions' own list of what stands against raising a group. */
export const safeToGrow: Check = (facts) =>
  valueOr(facts.groups, []).flatMap(({ group }) =>
    unsafeToGrow(group).map((found) =>
      diagnosed("error", "Drover does not raise this group, and its demand stays unmet.", found),
    ),
  );

/** The same for taking hosts away, where the group's tags ask for that. */
export const safeToShrink: Check = (facts) =>
  valueOr(facts.groups, []).flatMap((each) => {
    if (!shrinks(each)) return [];
    const grows = new Set(unsafeToGrow(each.group).map(({ code }) => code));
    return unsafeToShrink(each.group, each.shrink)
      .filter(({ code }) => !grows.has(code))
      .map((found) =>
        diagnosed("error", "No host leaves this group, however idle, and all of them are paid for.", found),
      );
  });
