import type { Plan } from "../../../../lib/helmr/protocol.ts";
import { simulatedSettings } from "../invocations.ts";
import type { Scene } from "../scene.ts";
import type { Witness } from "../witness.ts";

/**
 * Never two unsettled operations in a Worker group, no key for two pools, the key in the ledger before it is sent, and no
 * drain where MinSize or the cooldown forbids one.
 */
export function scaleIns(scene: Scene): Witness {
  const { model, cloud, table, time, setting } = scene;
  const poolOfKey = new Map<string, string>();
  const busyAt = new Map<string, number>();
  return {
    helmrSent({ life, method, args }) {
      if (method !== "scaleIn") return;
      const [groupId, poolId, key] = args.map(String) as [string, string, string];
      scene.tell(`${life.name} asks for a scale-in under ${key}`);
      const known = poolOfKey.get(key);
      if (known !== undefined && known !== poolId) scene.found("operation key used for two pools", key);
      poolOfKey.set(key, poolId);
      const others = model.unsettledOperations(groupId).filter((each) => each !== key);
      if (others.length > 0)
        scene.found("a second operation beside an unsettled one", `${key} beside ${others.join(" ")}`);
      const name = model.region.groups.get(groupId)?.name ?? "";
      void table.get([{ pk: `operation#helmr#${name}`, sk: key }]).then(([item]) => {
        if (item === undefined) scene.found("operation key sent before it was recorded", key);
      });
    },
    helmrHeard({ method }, outcome) {
      if (method !== "plan" || !("answer" in outcome)) return;
      for (const row of (outcome.answer as Plan).pools) {
        const isBusy = row.compatible_queued_items > 0 || row.scale_in_blocked || row.saturated;
        if (isBusy) busyAt.set(row.pool_id, time.now());
      }
    },
    helmrServed({ method, args }, answer) {
      if (method !== "scaleIn") return;
      const idleMs = time.now() - (busyAt.get(String(args[1])) ?? 0);
      const served = scene.groups.find(({ group }) => group.id === args[0]);
      const poolName = served?.group.pools.get(String(args[1]))?.name;
      const pool = served?.pools.find(({ name }) => name === poolName);
      const group = cloud.world.groups.get(pool?.autoScalingGroup ?? "");
      if (group === undefined || (answer as { phase: string }).phase !== "draining") return;
      const isTouched = time.now() - (scene.touched.get(group.name) ?? 0) < 40_000 + setting.lagMs;
      if (isTouched || pool === undefined) return;
      if (idleMs < pool.idleMinutes * 60_000 - 5_000) scene.found("drained before it was idle long enough", pool.name);
      if (group.desired <= group.minSize) scene.found("drained at MinSize", `${group.name}: ${group.desired}`);
      const newest = Math.max(0, ...[...group.members.values()].map(({ joinedAt }) => joinedAt));
      const slackMs = setting.lagMs + 25_000;
      if (time.now() - newest < simulatedSettings.cooldownMs - slackMs)
        scene.found("drained in the cooldown", group.name);
    },
  };
}
