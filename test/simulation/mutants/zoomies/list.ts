import type { Mutant } from "../../mutants.ts";

const lib = (file: string) => `lib/zoomies/${file}.ts`;

/** Small changes of Zoomies' rules, each of which some seed must notice. */
export const zoomiesMutants: readonly Mutant[] = [
  {
    name: "one look at emptiness is enough",
    file: lib("drain-decision"),
    find: "if (lookedAt - (drain.emptyAt ?? now) < secondLookMs) return { notes, actions: [] };",
    replace: "",
  },
  {
    name: "the scheduler's interval is not waited for",
    file: lib("drain-decision"),
    find: "const isLateEnough = lookedAt - (drain.cordonedAt ?? now) >= 2 * at.schedulerIntervalMs;",
    replace: "const isLateEnough = true;",
  },
  {
    name: "runners are not looked at",
    file: lib("host-pairs"),
    find: "host !== undefined && host.active_runners === 0 && runners.length === 0;",
    replace: "host !== undefined;",
  },
  {
    name: "a busy host counts as idle",
    file: lib("host-pairs"),
    find: '&& runners.every(({ state }) => state === "idle");',
    replace: ";",
  },
  {
    name: "no cordon before the terminate",
    file: lib("perform-host-action"),
    find: "const now = host.cordoned ? host : await hosts.cordon(hostId, true);",
    replace: "const now = { cordoned: true };",
  },
  {
    name: "a person's cordon is taken for ours",
    file: lib("perform-host-action"),
    find: 'if (host.cordoned && !isEnding) return { said: "somebody cordoned it first", drain: "over" };',
    replace: "",
  },
  {
    name: "cordoned hosts are candidates",
    file: lib("candidate-decision"),
    find: "!host.cordoned && whyNotEligible(host, fleet) === undefined;",
    replace: "whyNotEligible(host, fleet) === undefined;",
    also: [
      {
        file: lib("perform-host-action"),
        find: 'if (host.cordoned && !isEnding) return { said: "somebody cordoned it first", drain: "over" };',
        replace: "",
      },
    ],
  },
  {
    name: "a cordon that somebody took away is not noticed",
    file: lib("drain-decision"),
    find: 'if (drain.phase !== "cordoning" && !host.cordoned) return "somebody uncordoned it";',
    replace: "",
    also: [{ file: lib("host-check"), find: 'if (!host.cordoned) return "somebody uncordoned it";', replace: "" }],
  },
  {
    name: "the last look before a terminate does not see the cordon",
    file: lib("host-check"),
    find: 'if (!host.cordoned) return "somebody uncordoned it";',
    replace: "",
  },
  {
    name: "no look at the host before a terminate",
    file: lib("perform-host-action"),
    find: "if (notEmpty !== undefined) return wait(notEmpty);",
    replace: "",
  },
  {
    name: "a busy runner's drain is confirmed",
    file: lib("http-api"),
    find: "/drain`;",
    replace: "/drain?confirm=true`;",
  },
  {
    name: "a host row is deleted by force",
    file: lib("http-api"),
    find: 'const reply = await zoomies.call({ method: "DELETE", path });\n      return outcome(reply, "deleted"',
    replace:
      'const reply = await zoomies.call({ method: "DELETE", path: path.concat("?force=true") });\n      return outcome(reply, "deleted"',
  },
  {
    name: "a given-up drain is never uncordoned",
    file: lib("perform-host-action"),
    find: "await doing.parts.life.hosts.cordon(action.hostId, false);",
    replace: "",
  },
  {
    name: "an uncordon is not made sure of",
    file: lib("drain-decision"),
    find: "if (pair.host === undefined || pair.host.id !== drain.hostId || !pair.host.cordoned) {",
    replace: "if (drain.back !== undefined) {",
  },
  {
    name: "a group's MinSize does not count",
    file: lib("candidate-decision"),
    find: "Math.min(fleet.maxDrains - draining, desired - draining - min);",
    replace: "fleet.maxDrains - draining;",
    also: [
      {
        file: lib("host-decision"),
        find: "return group.desired <= group.min ? `MinSize is ",
        replace: "return group.desired < 0 ? `MinSize is ",
      },
    ],
  },
  {
    name: "what the pools need does not count",
    file: lib("candidate-decision"),
    find: "if (left - capacity < neededSlots) {",
    replace: "if (false) {",
  },
  {
    name: "idle time does not count",
    file: lib("candidate-decision"),
    find: "now - (noted(pair).idleSince ?? now) >= fleet.idleMs,",
    replace: "now >= 0,",
  },
  {
    name: "a group that is not safe to shrink is shrunk",
    file: lib("drain-decision"),
    find: "if (!at.isSafe) return { notes, actions: [] };",
    replace: "",
    also: [
      {
        file: lib("host-decision"),
        find: "if (facts !== undefined && unsafe.length > 0) return",
        replace: "if (facts !== undefined && unsafe.length > 99) return",
      },
    ],
  },
  {
    name: "a paused group is looked after",
    file: lib("host-decision"),
    find: "const isPaused = fleet.paused;",
    replace: "const isPaused = false;",
  },
  {
    name: "demand lowers the group",
    file: lib("raise-decision"),
    find: "if (within <= from) {",
    replace: "if (within === from) {",
    also: [
      {
        file: lib("raise-decision"),
        find: "const raiseTo = Math.max(step, raised);",
        replace: "const raiseTo = step;",
      },
    ],
  },
  {
    name: "MaxSize does not hold a raise back",
    file: lib("raise-decision"),
    find: "const within = Math.max(Math.min(hosts, group.max), group.min);",
    replace: "const within = Math.max(hosts, group.min);",
  },
  {
    name: "readings are added up",
    file: lib("target"),
    find: "target = Math.max(target ?? 0, slots);",
    replace: "target = (target ?? 0) + slots * 2;",
  },
  {
    name: "booting hosts are bought again",
    file: lib("supply"),
    find: "const slots = isYoung ? fleet.slotsPerHost : isCounted ? host.capacity : 0;",
    replace: "const slots = isCounted ? host.capacity : 0;",
  },
  {
    name: "hosts that do not count are not bought on top",
    file: lib("raise-decision"),
    find: "const lost = supply?.lost ?? 0;",
    replace: "const lost = 0;",
  },
  {
    name: "lost demand is not made up for",
    file: lib("raise-decision"),
    find: "larger(targetSlots(served, now, freshMs), supply?.needed);",
    replace: "targetSlots(served, now, freshMs);",
  },
  {
    name: "an abandoned launch is not proven",
    file: lib("perform-host-action"),
    find: "  const unproven = await whyNotUnjoined(doing, instance);\n  if (unproven !== undefined) return unproven;\n  const isLaunch",
    replace: "  const isLaunch",
  },
  {
    name: "tokens of an abandoned launch live on",
    file: lib("prove-unjoined"),
    find: "    await joins.revoke(id);",
    replace: "",
  },
  {
    name: "a launch hook is never completed",
    file: lib("launch-decision"),
    find: "if (host?.healthy && oddity === undefined) {",
    replace: "if (host === undefined && now < 0) {",
  },
  {
    name: "an ending host is let go while it works",
    file: lib("ending-decision"),
    find: "  if (!isEmpty(pair)) {",
    replace: "  if (now < 0) {",
  },
  {
    name: "an error while looking at Zoomies shows an empty fleet",
    file: lib("reconcile-demand"),
    find: '    parts.metrics.count("CallFailed", 1, { Outcome: "unseen", Peer: "zoomies" });\n    return undefined;',
    replace: "    return { at: parts.clock.now(), hosts: [], runners: [], pools: [] };",
  },
  {
    name: "a short list of runners is taken for the whole",
    file: lib("http-api"),
    find: "if (totals.size === 1 && totals.has(rows.size)) return [...rows.values()];",
    replace: "return [...rows.values()];",
    also: [
      {
        file: lib("host-pairs"),
        find: "host !== undefined && host.active_runners === 0 && runners.length === 0;",
        replace: "host !== undefined && runners.length === 0;",
      },
      {
        file: lib("host-pairs"),
        find: "host !== undefined && host.active_runners === runners.length && runners",
        replace: "host !== undefined && runners",
      },
    ],
  },
  {
    name: "the rows of ended instances stay",
    file: lib("ending-decision"),
    find: "if (rows.length > 0) {",
    replace: "if (rows.length > 9) {",
  },
];
