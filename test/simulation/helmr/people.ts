import { inProcessControlPlane } from "../../../infra/local/helmr/in-process.ts";
import type { Group, Host } from "../../../infra/local/helmr/model/state.ts";
import type { Pauses } from "../../../lib/helmr/pause.ts";
import { groupSpec, type Scene, type ServedGroup } from "./scene.ts";
import type { PoolSetting } from "./setting.ts";

export interface People {
  /** Something befalls the world, or somebody does something. */
  accident(): void;
  /** Looks after what only a person may decide: blocked operations, machines without a worker. */
  attend(): void;
  /** Puts back everything that was bent. */
  makeWell(): void;
}

/**
 * A machine that only a person can give back: its worker never registered or fell silent, or Helmr once lost a host on it,
 * whose work or whose operation is held until the machine is gone.
 */
function isLeft(group: Group, instance: string): boolean {
  const rows = group.rows.get(instance) ?? [];
  const isHeld = rows.some(({ status, absentAt }) => status === "lost" && absentAt === undefined);
  return isHeld || rows.length === 0 || rows.at(-1)?.status === "registering";
}

/** Operators, callers, other tools and bad luck: all that changes the world besides the function. */
export function people(
  scene: Scene,
  pauses: Pauses,
  onPause: (workerGroup: string, since: number | undefined) => void,
): People {
  const { time, cloud, model, workers, feed, groups, setting } = scene;
  const chance = scene.chance.fork();
  const operator = inProcessControlPlane(model, { caller: "operator" });
  let tokens = 0;

  const anyGroup = (): { served: ServedGroup; pool: PoolSetting } => {
    const served = chance.pick(groups);
    return { served, pool: chance.pick(served.pools) };
  };
  const members = (name: string) => [...(cloud.world.groups.get(name)?.members.values() ?? [])];
  const anyMachine = (): string | undefined => {
    const all = members(anyGroup().pool.autoScalingGroup).filter(({ state }) => state === "InService");
    return all.length === 0 ? undefined : chance.pick(all).instanceId;
  };
  const touch = (name: string) => void scene.touched.set(name, time.now());
  const onMachine = (act: (id: string) => void) => () => {
    const id = anyMachine();
    if (id !== undefined) act(id);
  };
  /** Does it now and puts it back later, unless everything was made well before. */
  const forAWhile = (least: number, most: number, begin: () => void, end: () => void) => () => {
    begin();
    time.after(chance.whole(least, most), end);
  };
  const rotate = (token: string) => {
    scene.accepted = token;
    model.credential.rotate(token);
    feed.cut();
  };
  const newToken = () => {
    tokens += 1;
    return `simulated-${tokens}`;
  };
  const hosts = (served: ServedGroup, status: Host["status"]) =>
    [...served.group.pools.values()].flatMap((pool) => [...pool.hosts].filter((host) => host.status === status));

  const accidents: Readonly<Record<string, () => void>> = {
    "a worker crashes and comes back": onMachine((id) => {
      workers.crash(id);
      time.after(chance.whole(1_000, 200_000), () => workers.restart(id));
    }),
    "a worker falls silent": onMachine((id) => workers.crash(id)),
    "a worker restarts": onMachine((id) => workers.restart(id)),
    "somebody terminates a machine": onMachine((id) => cloud.terminateByHand(id)),
    "a spot machine is taken back": onMachine((id) => {
      cloud.interruptSpot(id);
      workers.shutdownNotice(id);
    }),
    "a health check fails": onMachine((id) => cloud.failHealthCheck(id)),
    "somebody stops a machine": onMachine((id) => cloud.stopByHand(id)),
    "somebody takes a machine out of its group": onMachine((id) => {
      const isDecrement = chance.is(0.5);
      const group = cloud.world.instances.get(id)?.group ?? "";
      const input = { InstanceId: id, ShouldDecrementDesiredCapacity: isDecrement };
      touch(group);
      try {
        cloud.call("auto-scaling", "TerminateInstanceInAutoScalingGroup", input, "operator");
      } catch {
        // MinSize forbids it.
      }
    }),
    "an operator drains a host": () => drainOne(chance.pick(["replacement", "capacity_reduction"] as const)),
    "an operator drains a host once more": () => drainOne(chance.pick(["replacement", "capacity_reduction"] as const)),
    "somebody raises desired capacity": () => {
      const { pool } = anyGroup();
      const group = cloud.world.groups.get(pool.autoScalingGroup);
      if (group === undefined || group.desired >= group.maxSize) return;
      touch(group.name);
      cloud.setDesired(group.name, group.desired + 1);
    },
    "the Control Plane is down": forAWhile(
      5_000,
      90_000,
      () => {
        scene.isDown = true;
        model.setReady(false);
        feed.cut();
      },
      () => {
        scene.isDown = false;
        model.setReady(true);
      },
    ),
    "the update stream breaks": () => feed.cut(),
    "the update stream is silent": forAWhile(
      10_000,
      200_000,
      () => setFeed("silent"),
      () => setFeed("flowing"),
    ),
    "the update stream is refused": forAWhile(
      10_000,
      100_000,
      () => {
        setFeed("refused");
        feed.cut();
      },
      () => setFeed("flowing"),
    ),
    "the token is rotated as the contract says": () => {
      const token = newToken();
      for (const { name } of groups) pause(name, true);
      time.after(20_000, () => rotate(token));
      time.after(chance.whole(25_000, 60_000), () => {
        scene.secret.token = token;
      });
      time.after(chance.whole(65_000, 90_000), () => groups.forEach(({ name }) => void pause(name, false)));
    },
    "the token is rotated without a pause": () => {
      const token = newToken();
      rotate(token);
      time.after(chance.whole(1_000, 60_000), () => {
        scene.secret.token = token;
      });
    },
    "a group is bent": () => {
      const { served, pool } = anyGroup();
      const spec = groupSpec(served.name, pool);
      const bent = chance.pick([
        { suspended: ["AZRebalance", "Launch"] },
        { suspended: ["AZRebalance", "Terminate"] },
        { suspended: [] },
        { minSize: Math.min(pool.max, pool.min + 1) },
        { maxSize: pool.max + 1 },
        { tags: { ...spec.tags, "drover:scale-in": "off" } },
        { tags: { ...spec.tags, "drover:paused": "true" } },
        { tags: { ...spec.tags, "drover:idle-minutes": "soon" } },
      ]);
      touch(pool.autoScalingGroup);
      cloud.updateGroup(pool.autoScalingGroup, bent);
      time.after(chance.whole(20_000, 200_000), () => straighten(served, pool));
    },
    "a Worker group is paused": () => {
      const { served } = anyGroup();
      model.setGroupStatus(served.group.id, chance.pick(["paused", "draining"] as const));
      // Queued work stays queued, and Helmr goes on recommending hosts for it.
      for (let index = 0; index < 10; index += 1) served.workload.submit({ kind: "build", durationMs: 60_000 });
      time.after(chance.whole(10_000, 90_000), () => model.setGroupStatus(served.group.id, "active"));
    },
    "a machine loses its protection": onMachine((id) => {
      cloud.protectFromScaleIn(id, false);
      time.after(60_000, () => protect());
    }),
    "a migration leaves the schema dirty": forAWhile(
      10_000,
      100_000,
      () => setDirty(true),
      () => setDirty(false),
    ),
    "a caller submits a burst": () => {
      const { served } = anyGroup();
      for (let index = chance.whole(2, 8); index > 0; index -= 1) {
        served.workload.submit({
          kind: chance.pick(["fresh", "build"] as const),
          durationMs: chance.whole(5_000, 240_000),
        });
      }
    },
  };
  const names = Object.keys(accidents);

  function setFeed(state: typeof feed.state): void {
    feed.state = state;
  }
  function setDirty(isDirty: boolean): void {
    model.region.deployment.schema_dirty = isDirty;
  }
  function pause(name: string, isPaused: boolean): void {
    onPause(name, isPaused ? time.now() : undefined);
    void pauses.set(name, isPaused, "rotation of the token");
  }
  function drainOne(reason: "replacement" | "capacity_reduction"): void {
    const active = hosts(chance.pick(groups), "active");
    if (active.length === 0) return;
    const { id, epoch = 0, claimVersion } = chance.pick(active);
    const request = { expected_epoch: epoch, expected_claim_version: claimVersion, reason };
    void operator.drain(id, request).catch(() => {});
  }
  function straighten(served: ServedGroup, pool: PoolSetting): void {
    touch(pool.autoScalingGroup);
    cloud.updateGroup(pool.autoScalingGroup, groupSpec(served.name, pool));
  }
  function protect(): void {
    for (const { pools } of groups) {
      for (const { autoScalingGroup } of pools) {
        for (const { instanceId } of members(autoScalingGroup)) cloud.protectFromScaleIn(instanceId, true);
      }
    }
  }

  return {
    accident() {
      const name = chance.pick(names);
      scene.tell(name);
      accidents[name]?.();
      if (setting.lagMs > 0) cloud.setDescribeLag(() => chance.whole(0, setting.lagMs));
    },
    attend() {
      for (const { group, pools } of groups) {
        for (const key of model.unsettledOperations(group.id)) {
          if (chance.is(0.5)) model.reconcile(group.id, key);
        }
        for (const { autoScalingGroup } of pools) {
          const inService = members(autoScalingGroup).filter(({ state }) => state === "InService");
          for (const { instanceId, joinedAt } of inService) {
            if (time.now() - joinedAt > 400_000 && isLeft(group, instanceId) && chance.is(0.5)) {
              scene.tell(`an operator ends ${instanceId}`);
              cloud.terminateByHand(instanceId);
            }
          }
          // Somebody lowered desired capacity below what is protected from scale-in: it stays so until a person mends it.
          const desired = cloud.world.groups.get(autoScalingGroup)?.desired ?? 0;
          if (!scene.isTroubled && inService.length > desired) cloud.setDesired(autoScalingGroup, inService.length);
        }
      }
    },
    makeWell() {
      scene.tell("everything is well again");
      scene.isTroubled = false;
      scene.isDown = false;
      model.setReady(true);
      setFeed("flowing");
      setDirty(false);
      cloud.setDescribeLag(0);
      scene.secret.token = scene.accepted;
      for (const served of groups) {
        pause(served.name, false);
        model.setGroupStatus(served.group.id, "active");
        for (const pool of served.pools) straighten(served, pool);
      }
      protect();
    },
  };
}
