import { helmrFleet } from "../peers.ts";
import { putSecret } from "../secret.ts";
import { until } from "../until.ts";
import { type DeployedWorld, stackName } from "../world.ts";

/** One group with one host, which seeds its pool (helmr-notes 2.5), at most three. */
export function createHelmrGroup({ simulator }: DeployedWorld): void {
  simulator.cloud.createGroup(helmrFleet.autoScalingGroup, {
    minSize: 1,
    maxSize: 3,
    newInstancesProtected: true,
    suspended: ["AZRebalance"],
    tags: {
      "drover:stack": stackName,
      "drover:helmr-group": helmrFleet.group,
      "drover:helmr-pool": helmrFleet.pool,
    },
  });
}

export const putCapacityToken = (world: DeployedWorld) =>
  putSecret(world, "HelmrCapacityToken", world.peers.helmrToken);

const served = ({ peers }: DeployedWorld) => {
  const found = peers.helmr.groups.get(helmrFleet.group);
  if (found === undefined) throw new Error("Helmr has no such Worker group.");
  return found;
};

/** Helmr's hosts as its Control Plane sees them, as far as the machines have come by now. */
export function workerHosts(world: DeployedWorld) {
  world.simulator.cloud.settle();
  return [...served(world).group.pools.values()].flatMap(({ hosts }) => [...hosts]);
}

/** Two hosts' worth of tasks for the one host that there is. They do not end while the test runs. */
export async function queueTasks(world: DeployedWorld): Promise<void> {
  await until("Helmr's first host is active", 60_000, async () =>
    workerHosts(world).some(({ status }) => status === "active"),
  );
  for (let task = 0; task < 4; task += 1) served(world).workload.submit({ kind: "build", durationMs: 3_600_000 });
}

/** Over when the pool has the host that was missing, and it has taken what waited. */
export const tasksAreServed = (world: DeployedWorld, withinMs: number) =>
  until("a scheduled run has raised Helmr's pool to 2 hosts, and every task runs", withinMs, async () => {
    world.simulator.cloud.settle();
    const desired = world.simulator.cloud.group(helmrFleet.autoScalingGroup)?.DesiredCapacity;
    return desired === 2 && served(world).workload.waiting === 0;
  });
