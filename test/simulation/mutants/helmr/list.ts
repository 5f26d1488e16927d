import type { Mutant } from "../../mutants.ts";

const helmr = (file: string) => `lib/helmr/${file}.ts`;

/** Small changes of Helmr's rules, each of which some seed must notice. */
export const helmrMutants: readonly Mutant[] = [
  {
    name: "what-is-in-flight-is-launched-again",
    file: helmr("raise-decision"),
    find: "const lacking = recommended - inFlight;",
    replace: "const lacking = recommended;",
  },
  {
    name: "a-raise-that-no-describe-shows-yet-is-forgotten",
    file: helmr("join"),
    find: "const isRecent = raise !== undefined &&",
    replace: "const isRecent = raise !== undefined && raise.at < 0 &&",
  },
  {
    name: "a-raise-leaves-before-it-is-recorded",
    file: helmr("perform-raise"),
    find: 'await remember(session, group.name, { to: raise.to, at, outcome: "sent" });',
    replace: "",
  },
  {
    name: "headroom-is-what-is-registered-below-max",
    file: helmr("headroom"),
    find: "const places = max - count.active - held;",
    replace: "const places = max - count.active;",
  },
  {
    name: "a-draining-host-is-ended",
    file: helmr("proof"),
    find: 'must(host.status === "termination_ready", "the host is termination_ready");',
    replace: "",
    also: [
      {
        file: helmr("decision"),
        find: 'if (host?.status !== "termination_ready" ||',
        replace: 'if ((host?.status !== "termination_ready" && host?.status !== "draining") ||',
      },
    ],
  },
  {
    name: "a-receipt-that-is-not-ready-permits-an-end",
    file: helmr("proof"),
    find: 'must(receipt?.phase === "termination_ready", "the receipt is termination_ready");',
    replace: "",
    also: [
      {
        file: helmr("proof"),
        find: 'must(same(receipt.epoch, host.current_epoch ?? -1), "the receipt\'s epoch");',
        replace: "",
      },
      {
        file: helmr("proof"),
        find: 'must(detail.epoch !== undefined && host.current_epoch === detail.epoch, "the epoch of the drain");',
        replace: "",
      },
      {
        file: helmr("ending-decision"),
        find: 'if (receipt?.phase === "blocked")',
        replace: "if (receipt === undefined)",
      },
      {
        file: helmr("ending-decision"),
        find: '(detail.kind === "other" || receipt?.phase === "termination_ready");',
        replace: "true;",
      },
    ],
  },
  {
    name: "a-replacement-lowers-desired-capacity",
    file: helmr("decision"),
    find: 'const decrement = host.drain_reason !== "replacement";',
    replace: "const decrement = true;",
  },
  {
    name: "a-terminate-in-doubt-is-repeated-at-once",
    file: helmr("ending-decision"),
    find: "if (now - last.at < pauseMs)",
    replace: "if (now - last.at < 0)",
  },
  {
    name: "two-things-are-done-at-the-provider-in-one-cycle",
    file: helmr("reconcile-group"),
    find: 'if (result.outcome !== "unproven" && result.outcome !== "observed") return { ends, again: true };',
    replace: "",
  },
  {
    name: "the-lease-is-taken-whoever-holds-it",
    file: helmr("group-hold"),
    find: "const taken: Lease | undefined = await leases.take(name, owner, leaseMs);",
    replace:
      "const taken: Lease = (await leases.take(name, owner, leaseMs)) ?? { owner, fence: 0, until: clock.now() + leaseMs };",
    also: [
      {
        file: helmr("group-hold"),
        find: "if (renewed === undefined || renewed.fence !== fence)",
        replace: "if (renewed === undefined) return;\n      if (renewed.fence < 0)",
      },
    ],
  },
  {
    name: "the-pause-is-not-read",
    file: helmr("pause"),
    find: "isPaused: async (workerGroup) => (await read(workerGroup))?.isPaused === true,",
    replace: "isPaused: async () => false,",
  },
  {
    name: "one-look-confirms-an-absence",
    file: helmr("absence"),
    find: "if (isGone && goneSince !== undefined && now - goneSince >= absenceMs) absent.add(id);",
    replace: "if (isGone) absent.add(id);",
  },
  {
    name: "a-machine-that-shuts-down-is-absent",
    file: helmr("absence"),
    find: 'return state === "terminated" ||',
    replace: 'return state === "terminated" || state === "shutting-down" ||',
    also: [
      {
        file: helmr("absence"),
        find: 'instances.get(instance.id) === "terminated");',
        replace: '["terminated", "shutting-down"].includes(instances.get(instance.id) ?? ""));',
      },
    ],
  },
  {
    name: "a-second-operation-beside-an-unsettled-one",
    file: helmr("drain-decision"),
    find: 'find(context.unsettled.length > 0, "a scale-in operation is not settled");',
    replace: "",
  },
  {
    name: "an-operation-is-not-recorded-before-it-is-asked-for",
    file: helmr("open-operations"),
    find: "const started = await operations.start({ fleet, key, phase, owner, ownedUntil: 0, detail });",
    replace:
      'const value = { fleet, key, phase, owner, ownedUntil: 0, detail, startedAt: 0, changedAt: 0 };\n      const started = { outcome: "written" as const, stored: { value, version: 1 } };',
  },
  {
    name: "a-drain-at-min-size",
    file: helmr("drain-decision"),
    find: "find(group.desired <= group.min,",
    replace: "find(group.desired < 0,",
    also: [
      { file: helmr("drain-decision"), find: "find(count.active <= group.min,", replace: "find(count.active < 1," },
      {
        file: helmr("start-drain"),
        find: "if (fresh !== undefined && fresh.desired <= fresh.min)",
        replace: "if (fresh !== undefined && fresh.desired < 0)",
      },
    ],
  },
  {
    name: "no-cooldown-after-a-launch",
    file: helmr("drain-decision"),
    find: "find(now - lastLaunch < cooldownMs,",
    replace: "find(now - lastLaunch < 0,",
  },
  {
    name: "an-idle-clock-that-work-does-not-stop",
    file: helmr("idle-clock"),
    find: "if (isIdle === false) return rest;",
    replace: "if (isIdle === false) return before;",
  },
  {
    name: "an-absence-is-never-reported",
    file: helmr("report-lost"),
    find: "await controlPlane.lost(id);",
    replace: "",
  },
];
