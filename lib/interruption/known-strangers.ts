import type { Clock } from "../edge/clock.ts";
import type { NoticeParts } from "./handle-notices.ts";

/** How long a group that was not ours is taken for none of ours without another look. */
const rememberedMs = 60_000;

/**
 * The same groups; one that is not this stack's is asked for once a minute at most, however many of its instances come
 * and go: EC2 tells of every instance of the account, and only the group says whose it is.
 */
export function knownStrangers(groups: NoticeParts["groups"], clock: Clock): NoticeParts["groups"] {
  const strangers = new Map<string, number>();
  return {
    async named(name, options) {
      const now = clock.now();
      if (now - (strangers.get(name) ?? Number.NEGATIVE_INFINITY) < rememberedMs) return undefined;
      strangers.delete(name);
      const group = await groups.named(name, options);
      if (group === undefined) strangers.set(name, now);
      return group;
    },
  };
}
