import type { RetainedProfiles, WorkerPool } from "../../../lib/helmr/protocol.ts";
import { done, type Outcome } from "../../cli/outcome.ts";
import { fenced } from "../fenced.ts";
import type { Reach } from "../reach.ts";

/** Creates a pending pool under the group's claim. It serves nothing until its first host seals it. */
export async function createPool(reach: Reach, name: string): Promise<Outcome> {
  const controlPlane = reach.controlPlane();
  const groupName = await reach.workerGroup();
  const group = await controlPlane.resolveGroup(reach.regionId(), groupName);
  return fenced(
    () => controlPlane.createPool(group.id, { name, expected_group_claim_version: group.claim_version }),
    (pool) =>
      done(
        [
          `${shown(pool)}.`,
          `Tag the Auto Scaling group that supplies it: drover:helmr-group = ${groupName}, drover:helmr-pool = ${name},`,
          "and give it a MinSize of at least 1 until its first host is active: that host seals the pool's shape.",
        ],
        pool,
      ),
    async () => {
      const now = await controlPlane.resolveGroup(reach.regionId(), groupName);
      const pool = await poolOrNone(() => controlPlane.resolvePool(group.id, name));
      const line = pool === undefined ? `there is no pool ${name}` : shown(pool);
      return {
        line: `the group's claim is ${now.claim_version} (it was ${group.claim_version}); ${line}.`,
        value: { group: now, pool },
      };
    },
  );
}

/** Retires a pool for good, under its claim. Shows what is known of the profiles that may still need it. */
export async function disablePool(reach: Reach, name: string): Promise<Outcome> {
  const controlPlane = reach.controlPlane();
  const group = await controlPlane.resolveGroup(reach.regionId(), await reach.workerGroup());
  const pool = await controlPlane.resolvePool(group.id, name);
  const known = [
    ...profileLines(`the group ${group.name}`, group.retained_profiles),
    ...profileLines(`the pool ${name}`, pool.retained_profiles),
    "The counts of eligible pools include this one. Helmr checks the whole state itself when it retires a pool.",
  ];
  const before = { group: group.retained_profiles, pool: pool.retained_profiles };
  const outcome = await fenced(
    () => controlPlane.disablePool(group.id, pool.id, { expected_pool_claim_version: pool.claim_version }),
    (disabled) => done([`${shown(disabled)}. Its name cannot enroll again; use a new one.`], disabled),
    async () => {
      const now = await controlPlane.resolvePool(group.id, name);
      return { line: `${shown(now)} (its claim was ${pool.claim_version}).`, value: now };
    },
  );
  return {
    ...outcome,
    lines: [...known, ...outcome.lines],
    value: { retained_profiles: before, result: outcome.value },
  };
}

function profileLines(where: string, retained: RetainedProfiles | undefined): string[] {
  if (retained === undefined) return [`Helmr tells nothing of retained profiles for ${where}.`];
  const { profiles, complete } = retained;
  return [
    `Retained profiles of ${where}: ${profiles.length}${complete ? "" : ", complete: false"}`,
    ...profiles.map((profile) => `  ${JSON.stringify(profile)}`),
    ...(complete ? [] : ["  There are more than these: this list proves nothing about whether retirement is safe."]),
  ];
}

function shown(pool: WorkerPool): string {
  const sealed = pool.sealed_at === undefined ? "not sealed" : `sealed ${pool.sealed_at}`;
  return `pool ${pool.name} (${pool.id}) is ${pool.status}, ${sealed}, claim ${pool.claim_version}`;
}

async function poolOrNone(read: () => Promise<WorkerPool>): Promise<WorkerPool | undefined> {
  try {
    return await read();
  } catch (error) {
    if ((error as { code?: unknown }).code === "not_found") return undefined;
    throw error;
  }
}
