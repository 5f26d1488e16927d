import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LifecycleState, lifecycleStates } from "../../lib/capacity/group.ts";
import { zoomiesFleet } from "../../lib/capacity/group-fleet.ts";
import { type Host, type Pool, type Runner, runnerStates } from "../../lib/zoomies/api.ts";
import { decideHosts } from "../../lib/zoomies/host-decision.ts";
import type { Drain, DrainPhase, InstanceNotes } from "../../lib/zoomies/host-notes.ts";
import type { HostsObservation } from "../../lib/zoomies/host-observation.ts";
import { makeGroup } from "./made-groups.ts";
import { minute, noon } from "./made-readings.ts";

const live = runnerStates.filter((state) => state !== "removed" && state !== "failed");
const phases: readonly DrainPhase[] = ["cordoning", "cordoned", "empty", "terminating", "terminated", "uncordoning"];
const chance = (percent: number) => fc.integer({ min: 1, max: 100 }).map((drawn) => drawn <= percent);
const ago = (most: number) => fc.integer({ min: 0, max: most }).map((ms) => noon - ms);

const drain: fc.Arbitrary<Drain> = fc
  .record({ phase: fc.constantFrom(...phases), startedAt: ago(60 * minute), cordonedAt: ago(30 * minute) })
  .chain(({ phase, startedAt, cordonedAt }) =>
    fc.record({ changedAt: ago(5 * minute), emptyAt: fc.option(ago(5 * minute), { nil: undefined }) }).map((more) => ({
      key: "key",
      hostId: "",
      phase,
      startedAt,
      cordonedAt,
      changedAt: more.changedAt,
      ...(more.emptyAt === undefined ? {} : { emptyAt: more.emptyAt }),
    })),
  );

const oneHost = fc.record({
  state: fc.oneof(
    { weight: 6, arbitrary: fc.constant<LifecycleState>("InService") },
    { weight: 1, arbitrary: fc.constantFrom<LifecycleState>(...lifecycleStates, "unknown") },
  ),
  hasHost: chance(90),
  isKnown: chance(80),
  name: fc.oneof({ weight: 12, arbitrary: fc.constant("own") }, { weight: 1, arbitrary: fc.constant("other") }),
  isDoubled: chance(5),
  capacity: fc.constantFrom(4, 4, 4, 2, 0),
  runners: fc.array(fc.constantFrom(...live), { maxLength: 3 }),
  miscounted: fc.constantFrom(0, 0, 0, 0, 1, -1),
  cordoned: chance(30),
  healthy: chance(90),
  incompatible: chance(5),
  seenAt: ago(120 * minute),
  idleSince: fc.option(ago(60 * minute), { nil: undefined }),
  drain: fc.option(drain, { nil: undefined, freq: 2 }),
});

const snapshot = fc
  .record({
    hosts: fc.array(oneHost, { maxLength: 8 }),
    queued: fc.integer({ min: 0, max: 6 }).map((drawn) => Math.max(drawn - 3, 0)),
    minRunners: fc.integer({ min: 0, max: 4 }),
    min: fc.integer({ min: 0, max: 3 }),
    isSeen: chance(90),
    hasFacts: chance(90),
    lookedAt: ago(3 * minute),
    tags: fc.constantFrom<Record<string, string>>({}, {}, { "drover:max-drains": "3" }, { "drover:idle-minutes": "1" }),
  })
  .map(({ hosts, queued, minRunners, min, isSeen, hasFacts, lookedAt, tags }): HostsObservation => {
    const rows: Host[] = [];
    const runners: Runner[] = [];
    const instances: Record<string, InstanceNotes> = {};
    hosts.forEach((each, index) => {
      const id = `i-0000000${index}`;
      const hostId = `host-${index}`;
      const own: Runner[] = each.runners.map((state, nth) => ({
        id: `${hostId}-${nth}`,
        pool_id: "pool_a",
        host_id: hostId,
        state,
      }));
      const row: Host = {
        id: hostId,
        name: each.name === "own" ? id : `renamed-${index}`,
        embedded: false,
        capacity: each.capacity,
        active_runners: Math.max(own.length + each.miscounted, 0),
        backends: ["docker"],
        labels: {},
        os: "linux",
        arch: "amd64",
        cordoned: each.cordoned,
        healthy: each.healthy,
        incompatible: each.incompatible,
        created_at: "2026-09-05T10:00:00Z",
      };
      if (each.hasHost) rows.push(row);
      if (each.hasHost && each.isDoubled) rows.push({ ...row, id: `${hostId}-again`, name: id });
      if (each.hasHost) runners.push(...own);
      instances[id] = {
        seenAt: each.seenAt,
        ...(each.isKnown ? { hostId } : {}),
        ...(each.idleSince === undefined ? {} : { idleSince: each.idleSince }),
        ...(each.drain === undefined ? {} : { drain: { ...each.drain, hostId } }),
      };
    });
    const counts = { provisioning: 0, registering: 0, idle: 0, busy: 0, draining: 0 };
    for (const { state } of runners) counts[state as keyof typeof counts] += 1;
    const pool: Pool = {
      id: "pool_a",
      name: "a",
      enabled: true,
      backend: "docker",
      host_selector: {},
      min_runners: minRunners,
      max_runners: 100,
      counts,
      queued_jobs: queued,
    };
    const group = makeGroup({
      min,
      desired: Math.max(hosts.length, min),
      suspended: ["AZRebalance"],
      tags: { "drover:scale-in": "verified", ...tags },
      instances: hosts.map(({ state }, index) => ({
        id: `i-0000000${index}`,
        state,
        zone: "eu-1a",
        healthy: true,
        protected: true,
      })),
    });
    const only = Object.fromEntries(Object.entries(group.tags).filter(([tag]) => !/pool_[b-d]$/.test(tag)));
    const { fleet } = zoomiesFleet({ ...group, tags: only });
    if (fleet === undefined) throw new Error("The tags are wrong.");
    return {
      group: { ...group, tags: only },
      fleet,
      hooks: [{ name: "drover-leave", transition: "terminating", heartbeatSeconds: 300, defaultResult: "ABANDON" }],
      zoomies: isSeen ? { at: noon - 1_000, hosts: rows, runners, pools: [pool] } : undefined,
      facts: hasFacts ? { activePolicies: [], scheduledActions: [], activeRefreshes: [] } : undefined,
      states: new Map(),
      joins: new Map(),
      readings: {},
      record: { instances, lookedAt, abandons: { count: 0, lastAt: 0 } },
      now: noon,
      settings: { freshMs: 15 * minute, schedulerIntervalMs: 10_000, joinDeadlineMs: 10 * minute },
    };
  });

const holds = (check: (observation: HostsObservation) => void) =>
  fc.assert(fc.property(snapshot, check), { numRuns: 3_000 });

const rowOf = (observation: HostsObservation, hostId: string) =>
  observation.zoomies?.hosts.find(({ id }) => id === hostId);

describe("for every snapshot", () => {
  test("what is ended has no runner in either account, and is cordoned, healthy and unmistakable (cases.md 70)", () => {
    let ended = 0;
    holds((observation) => {
      for (const action of decideHosts(observation).actions) {
        const lets = action.kind === "terminate" || (action.kind === "complete-termination" && action.hostId);
        if (!lets || !("hostId" in action)) continue;
        ended += 1;
        const host = rowOf(observation, action.hostId ?? "");
        expect(host).toMatchObject({ name: action.instance, cordoned: true, healthy: true, incompatible: false });
        expect(host?.active_runners).toBe(0);
        expect(observation.zoomies?.runners.filter(({ host_id }) => host_id === host?.id)).toEqual([]);
        expect(observation.zoomies?.hosts.filter(({ name }) => name === action.instance)).toHaveLength(1);
      }
    });
    expect(ended).toBeGreaterThan(20);
  });

  test("what begins to drain was idle for long enough and is needed by nobody (cases.md 39, 41, 71)", () => {
    let begun = 0;
    holds((observation) => {
      const { group, fleet, zoomies, record } = observation;
      const { actions, record: next } = decideHosts(observation);
      const started = actions.filter(
        ({ kind, instance }) => kind === "cordon" && record.instances[instance]?.drain === undefined,
      );
      const leaving = started.filter(
        ({ instance }) => group.instances.find(({ id }) => id === instance)?.state === "InService",
      );
      if (leaving.length === 0) return;
      begun += 1;
      const open = Object.values(next.instances).filter(
        ({ drain: own }) => own !== undefined && own.phase !== "terminated",
      );
      expect(open.length).toBeLessThanOrEqual(Math.max(fleet.maxDrains, open.length - leaving.length));
      expect(group.desired - open.length).toBeGreaterThanOrEqual(group.min);
      for (const { instance } of leaving) {
        expect(noon - (record.instances[instance]?.idleSince ?? noon)).toBeGreaterThanOrEqual(fleet.idleMs);
        const host = zoomies?.hosts.find(({ name }) => name === instance);
        const on = zoomies?.runners.filter(({ host_id }) => host_id === host?.id) ?? [];
        expect(on.every(({ state }) => state === "idle")).toBe(true);
        expect(host?.cordoned).toBe(false);
      }
    });
    expect(begun).toBeGreaterThan(20);
  });

  test("without all of Zoomies or without the group's own rules, no host begins to leave and none is ended", () => {
    holds((observation) => {
      for (const blind of [{ zoomies: undefined }, { facts: undefined }]) {
        const kinds = decideHosts({ ...observation, ...blind }).actions.map(({ kind }) => kind);
        expect(kinds).not.toContain("terminate");
        expect(kinds).not.toContain("terminate-unjoined");
        if ("zoomies" in blind) for (const kind of kinds) expect(kind).toBe("heartbeat");
      }
    });
  });

  test("a group that is paused is only looked at", () => {
    holds((observation) => {
      const paused = { ...observation, fleet: { ...observation.fleet, paused: true } };
      expect(decideHosts(paused).actions).toEqual([]);
    });
  });

  test("a cordon that we did not make is never taken back, and one of ours is never forgotten", () => {
    holds((observation) => {
      const { actions, record, ended } = decideHosts(observation);
      for (const action of actions) {
        if (action.kind !== "uncordon") continue;
        expect(observation.record.instances[action.instance]?.drain?.hostId).toBe(action.hostId);
      }
      for (const { instance } of ended) {
        const was = observation.record.instances[instance]?.drain;
        const host = rowOf(observation, was?.hostId ?? "");
        // What ends without its host's row having gone is uncordoned already.
        if (host?.id === was?.hostId && host !== undefined) expect(host.cordoned).toBe(false);
      }
      for (const [instance, { drain: was }] of Object.entries(observation.record.instances)) {
        const isOver = ended.some((one) => one.instance === instance);
        if (was !== undefined && !isOver) expect(record.instances[instance]?.drain).toBeDefined();
      }
    });
  });

  test("the decision rests on its arguments alone, and leaves them as they are", () => {
    holds((observation) => {
      const before = structuredClone(observation);
      expect(decideHosts(observation)).toEqual(decideHosts(before));
      expect(observation).toEqual(before);
    });
  });
});
