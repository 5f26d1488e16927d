import type { Scene } from "../scene.ts";
import type { Witness } from "../witness.ts";

interface InstanceList {
  readonly Reservations?: readonly {
    readonly Instances?: readonly { readonly InstanceId?: string; readonly State?: { readonly Name?: string } }[];
  }[];
}

/** /lost only for an instance that is gone in truth, and that EC2 showed to be so in two looks apart from each other. */
export function losses(scene: Scene): Witness {
  const { cloud, model, time } = scene;
  const looks = new Map<string, number[]>();
  return {
    awsHeard({ name, input }, answer) {
      if (name !== "DescribeInstancesCommand") return;
      const filters = (input["Filters"] ?? []) as { readonly Values?: readonly string[] }[];
      const instances = ((answer as InstanceList).Reservations ?? []).flatMap((each) => each.Instances ?? []);
      const states = new Map(instances.map(({ InstanceId, State }) => [InstanceId, State?.Name]));
      for (const id of filters.flatMap(({ Values }) => Values ?? [])) {
        const state = states.get(id);
        // A look that lags shows it alive once more: what is terminated stays so.
        if (state === "terminated" || state === undefined) looks.set(id, [...(looks.get(id) ?? []), time.now()]);
      }
    },
    helmrSent({ life, method, args }) {
      if (method !== "lost") return;
      const instance = model.region.hosts.get(String(args[0]))?.resourceId ?? "";
      const state = cloud.world.instances.get(instance)?.state ?? "terminated";
      scene.tell(`${life.name} reports ${instance} lost`);
      if (state !== "terminated") scene.found("reported a living instance as lost", `${instance} is ${state}`);
      // Between their answers a slow cycle leaves less time than between their beginnings.
      const at = new Set(looks.get(instance));
      if (at.size < 2) {
        scene.found("reported as lost after less than two looks", `${instance}, ${at.size} looks`);
      }
    },
  };
}
