import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { ec2InstanceTypes } from "../../lib/capacity/ec2-instance-types.ts";
import { clientTimeouts } from "../../lib/edge/client-timeouts.ts";
import { localClient } from "../cli/local-aws.ts";
import type { Account } from "./account.ts";
import type { Deployed, Facts, GroupFacts, TemplateFacts } from "./facts.ts";
import { gatherGroups } from "./gather/groups.ts";
import { gatherHelmr } from "./gather/helmr.ts";
import { gatherSecrets } from "./gather/secrets.ts";
import { watchSkew } from "./gather/skew.ts";
import { gatherFreeAddresses } from "./gather/subnets.ts";
import { gatherTemplates } from "./gather/templates.ts";
import { gatherZoomies } from "./gather/zoomies.ts";
import { integrations } from "./integrations.ts";
import { known, valueOr } from "./known.ts";

export interface GatherParts {
  readonly account: Account;
  /** Of every AWS service; undefined for AWS itself. */
  readonly endpoint: string | undefined;
  now(): number;
}

/** Looks at everything once, with reads only. What one look needs of another that failed is left out and said. */
export async function gather(stack: Deployed, { account, endpoint, now }: GatherParts): Promise<Facts> {
  const settings = { ...clientTimeouts(5_000, 3), ...localClient(endpoint) };
  const [autoScaling, ec2, secrets] = [
    new AutoScalingClient(settings),
    new EC2Client(settings),
    new SecretsManagerClient(settings),
  ];
  try {
    const skew = watchSkew(autoScaling, now);
    const groups = await known(() => gatherGroups(autoScaling, stack.name));
    const seen = valueOr(groups, []);
    const templates = await known(() => gatherTemplates(ec2, stack.name, seen));
    const launchable = valueOr(templates, []);
    const on = integrations(stack);
    const hostRole = stack.parameters["ZoomiesHostRoleArn"] ?? "";
    return {
      stack,
      groups,
      templates,
      instanceTypes: await known(() => ec2InstanceTypes(ec2).named(listed(launchable, "drover:instance-types"))),
      freeAddresses: await known(() => gatherFreeAddresses(ec2, subnetsOf(seen, launchable))),
      secrets: await gatherSecrets(secrets, stack),
      zoomies: on.zoomiesHosts ? await gatherZoomies(secrets, stack) : undefined,
      helmr: on.helmr ? await gatherHelmr(secrets, stack, seen) : undefined,
      skewMs: await known(skew),
      concurrency: await account.concurrency(),
      hostRoleTrust: on.zoomiesHosts && hostRole !== "" ? await account.trustPolicy(hostRole) : undefined,
    };
  } finally {
    for (const client of [autoScaling, ec2, secrets]) client.destroy();
  }
}

const listed = (templates: readonly TemplateFacts[], tag: string): string[] =>
  templates.flatMap(({ tags }) => (tags[tag] ?? "").split(" ").filter((word) => word !== ""));

const subnetsOf = (groups: readonly GroupFacts[], templates: readonly TemplateFacts[]): string[] => [
  ...groups.flatMap(({ subnets }) => subnets),
  ...listed(templates, "drover:subnets"),
];
