import type { ResponseLaunchTemplateData } from "@aws-sdk/client-ec2";

/** A KiCI scaler with the launch template that serves it, as an operator would declare it. */
export type KiciScaler = {
  /** The scaler's name at the orchestrator. */
  name: string;
  /** Of the launch template; by default after the scaler. */
  template?: string;
  instanceTypes?: readonly string[];
  subnets?: readonly string[];
  maxInstances?: number;
  maxLifetimeMinutes?: number;
  agentImage?: string;
  /** More tags, or other values for those that follow from the rest. */
  tags?: Readonly<Record<string, string>>;
  /** Anything else about the template. */
  data?: ResponseLaunchTemplateData;
};

/** The simulated region's subnets, one in each zone. */
export const localSubnets = [
  "subnet-00000000000000001",
  "subnet-00000000000000002",
  "subnet-00000000000000003",
] as const;

/** The launch template with the tags of the design ("Fleets are declared by tags"). */
export function templateOf(scaler: KiciScaler, stack: string) {
  const {
    name,
    template = `kici-${name}`,
    instanceTypes = ["m7i.large", "c7i.xlarge"],
    subnets = localSubnets.slice(0, 2),
    maxInstances = 10,
    maxLifetimeMinutes = 120,
    agentImage = "quay.io/kici-dev/kici-agent:0.16.0",
    tags = {},
    data = {},
  } = scaler;
  return {
    name: template,
    data,
    tags: {
      "drover:stack": stack,
      "drover:kici-scaler": name,
      "drover:instance-types": instanceTypes.join(" "),
      "drover:subnets": subnets.join(" "),
      "drover:max-instances": String(maxInstances),
      "drover:max-lifetime-minutes": String(maxLifetimeMinutes),
      "drover:agent-image": agentImage,
      ...tags,
    },
  };
}
