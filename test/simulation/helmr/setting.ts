import type { ModelOptions } from "../../../infra/local/helmr/model/options.ts";
import type { Template } from "../../../infra/local/helmr/model/shape.ts";
import type { DeclaredPolicy } from "../../../lib/capacity/helmr-fleet.ts";
import type { Chance } from "../chance.ts";

/** Two items of the workload's size fit one host. */
export const template: Template = {
  cpu_millis: 2_000,
  memory_bytes: 8_000_000_000,
  disk_bytes: 40_000_000_000,
  vm_slots: 2,
  platform: "firecracker/x86_64",
};

export interface PoolSetting {
  readonly name: string;
  readonly autoScalingGroup: string;
  readonly min: number;
  readonly max: number;
  readonly idleMinutes: number;
  readonly step: number | undefined;
  /** Whether instances wait in a termination hook, in which their worker drains. */
  readonly hooked: boolean;
  readonly policy: DeclaredPolicy | undefined;
  readonly primaryMinimum: number | undefined;
}

/** What one seed plays in: how large Helmr and its groups are, and what the contract leaves open. */
export interface Setting {
  readonly groups: readonly { readonly name: string; readonly pools: readonly PoolSetting[] }[];
  readonly model: Partial<ModelOptions>;
  /** Minutes of work and trouble, before everything is well again. */
  readonly troubledMinutes: number;
  /** Probabilities: per call that it goes wrong, that the function dies there, and per half minute that something befalls the world. */
  readonly callTrouble: number;
  readonly crashes: number;
  readonly accidents: number;
  /** How far Describe calls lag at the worst, in milliseconds. */
  readonly lagMs: number;
  readonly jitterMs: number;
}

export function drawSetting(chance: Chance): Setting {
  const groups = chance.is(0.2) ? ["builds", "default"] : ["default"];
  return {
    groups: groups.map((name) => ({ name, pools: drawPools(chance, name) })),
    model: {
      evidenceStatus: chance.pick([409, 422, 503] as const),
      lostFromReady: chance.pick(["accepted", "conflict"] as const),
      completionDelayMs: chance.pick([0, 0, 20_000]),
      receiptClaim: chance.pick(["drain", "current"] as const),
      receiptFields: chance.pick(["all", "all", "key-and-phase"] as const),
      wrapKeyedReceipt: chance.is(0.5),
      silentRegistrationMs: 300_000,
    },
    troubledMinutes: chance.whole(8, 16),
    callTrouble: chance.pick([0, 0.005, 0.02, 0.06]),
    crashes: chance.pick([0, 0.0005, 0.002, 0.006]),
    accidents: chance.pick([0.1, 0.3, 0.6]),
    lagMs: chance.pick([0, 0, 5_000, 20_000]),
    jitterMs: chance.pick([0, 10_000, 45_000]),
  };
}

function drawPools(chance: Chance, group: string): PoolSetting[] {
  const count = chance.pick([1, 1, 1, 2, 3]);
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? "general" : `extra-${index}`,
    autoScalingGroup: `${group}-${index}`,
    // A pool becomes active with its first host (helmr-notes 2.5).
    min: index === 0 ? 1 : chance.whole(0, 1),
    max: chance.whole(2, 5),
    idleMinutes: chance.whole(1, 2),
    step: chance.pick([undefined, undefined, 1, 2]),
    hooked: chance.is(0.3),
    policy: chance.is(0.2) ? drawPolicy(chance) : undefined,
    primaryMinimum: index === 0 && chance.is(0.3) ? 1 : undefined,
  }));
}

const drawPolicy = (chance: Chance): DeclaredPolicy => ({
  cpu_millis: 1_000,
  memory_bytes: 2_000_000_000,
  disk_bytes: 10_000_000_000,
  vm_slots: chance.whole(0, 1),
  max_tasks: 2,
  io_bytes_per_second: 1_000_000,
  local_headroom_slots: chance.whole(0, 1),
});
