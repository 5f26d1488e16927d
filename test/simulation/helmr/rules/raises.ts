import type { GroupMemory } from "../../../../lib/helmr/group-memory.ts";
import type { Plan, PlanRequest } from "../../../../lib/helmr/protocol.ts";
import { simulatedSettings } from "../invocations.ts";
import type { Scene, ServedGroup } from "../scene.ts";
import type { PoolSetting } from "../setting.ts";
import type { Witness } from "../witness.ts";
import { isOurs, rowsOf } from "./terminations.ts";

/** How long a change that people make may stay unseen by a Describe, and a raise be on its way. */
const unseenMs = 40_000;
/** A host whose status changed between the observation and now. */
const slackHosts = 1;

/**
 * Desired capacity is never above MaxSize and never lowered by an absolute write, and no launch goes beyond what the plan
 * recommends minus what is in flight.
 */
export function raises(scene: Scene): Witness {
  const { cloud, time, model } = scene;
  /** The highest that a raise may go after an invocation's newest plan, by invocation and Auto Scaling group. */
  const allowed = new Map<string, { readonly to: number; readonly why: string }>();
  const isTouched = (group: string) => time.now() - (scene.touched.get(group) ?? 0) < unseenMs;

  cloud.on((event) => {
    // What the group replaces by itself is as unseen as what people do, while Describe calls lag.
    const isReplaced = event.type === "member-state" && event.to === "Terminating" && !isOurs(event.actor);
    if (isReplaced && scene.setting.lagMs > 0) scene.touched.set(event.group, time.now());
    if (event.type !== "desired-capacity" || !isOurs(event.actor)) return;
    const max = cloud.world.groups.get(event.group)?.maxSize ?? 0;
    if (event.to > event.from && event.to > max)
      scene.found("desired above MaxSize", `${event.group}: ${event.to} of ${max}`);
    if (event.operation === "SetDesiredCapacity" && event.to < event.from && !isTouched(event.group)) {
      scene.found("desired lowered by an absolute write", `${event.group}: ${event.from} to ${event.to}`);
    }
  });

  return {
    helmrSent({ method, args }) {
      if (method !== "plan") return;
      for (const { pool_id: id, max_additional_workers: headroom } of (args[1] as PlanRequest).pools) {
        const served = scene.groups.find(({ group }) => group.id === args[0]);
        const pool = served?.pools.find(({ name }) => name === served.group.pools.get(id)?.name);
        const group = cloud.world.groups.get(pool?.autoScalingGroup ?? "");
        if (served === undefined || group === undefined || isTouched(group.name)) continue;
        // Members with a host that was active, and is not to come any more, hold their places.
        const held = [...group.members.values()].filter(({ instanceId, joinedAt }) => {
          const status = rowsOf(scene, instanceId).at(-1)?.status;
          return status !== undefined && status !== "registering" && time.now() - joinedAt > unseenMs + 60_000;
        });
        const places = group.maxSize - held.length + (scene.isTroubled ? slackHosts : 0);
        if (headroom > Math.max(0, places))
          scene.found("headroom beyond MaxSize", `${group.name}: ${headroom} of ${places}`);
      }
    },
    helmrServed({ life, method, args }, answer) {
      if (method !== "plan") return;
      const served = scene.groups.find(({ group }) => group.id === args[0]);
      if (served === undefined) return;
      for (const row of (answer as Plan).pools) {
        const pool = served.pools.find(({ name }) => name === row.pool_name);
        if (pool === undefined) continue;
        const { desired, inFlight } = flight(served, pool);
        const recommended = served.group.status === "active" ? row.recommended_additional_workers : 0;
        allowed.set(`${life.name} ${pool.autoScalingGroup}`, {
          to: desired + Math.max(0, recommended - inFlight),
          why: `${desired} desired, ${inFlight} in flight, ${recommended} recommended`,
        });
      }
    },
    awsSent({ life, name, input }) {
      if (name !== "SetDesiredCapacityCommand") return;
      const group = String(input["AutoScalingGroupName"]);
      const to = Number(input["DesiredCapacity"]);
      scene.tell(`${life.name} raises ${group} to ${to}`);
      const limit = allowed.get(`${life.name} ${group}`);
      void recordedRaise(group).then((recorded) => {
        if (recorded !== to)
          scene.found("a raise left before it was recorded", `${group} to ${to}, recorded ${recorded}`);
      });
      if (limit === undefined) scene.found("raised without a plan", group);
      else if (to > limit.to && !isTouched(group))
        scene.found("launched beyond the recommendation", `${group} to ${to}: ${limit.why}`);
    },
  };

  async function recordedRaise(name: string): Promise<number | undefined> {
    const served = scene.groups.find(({ pools }) => pools.some(({ autoScalingGroup }) => autoScalingGroup === name));
    const [item] = await scene.table.get([{ pk: `helmr-group#${served?.name}`, sk: "memory" }]);
    return (JSON.parse(item?.body ?? "{}") as Partial<GroupMemory>).pools?.[name]?.lastRaise?.to;
  }

  /** Desired capacity as it truly is, and how much of it is on its way to an active host. */
  function flight({ group }: ServedGroup, pool: PoolSetting): { desired: number; inFlight: number } {
    const members = [...(cloud.world.groups.get(pool.autoScalingGroup)?.members.values() ?? [])];
    const desired = cloud.world.groups.get(pool.autoScalingGroup)?.desired ?? 0;
    const poolId = [...group.pools.values()].find(({ name }) => name === pool.name)?.id;
    const arrived = members.filter((member) => {
      if (!member.state.startsWith("Pending") && member.state !== "InService") return false;
      const row = rowsOf(scene, member.instanceId).at(-1);
      const isOld = model.region.now() - member.joinedAt >= simulatedSettings.readinessMs - 20_000;
      const isComing = row === undefined || (row.poolId === poolId && row.status === "registering");
      return !member.healthy || !isComing || isOld;
    });
    return { desired, inFlight: Math.max(0, desired - arrived.length) };
  }
}
