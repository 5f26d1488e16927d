import type { Check, Diagnosis, Severity } from "../diagnosis.ts";
import { helmrGroups, scalers, zoomiesGroups } from "../fleets.ts";
import { integrations } from "../integrations.ts";
import { shrinks } from "./safety.ts";

/** Outputs that an integration needs and that people paste elsewhere. */
const outputsOf = {
  zoomies: ["ZoomiesWebhookUrl", "ZoomiesWebhookSecretArn"],
  zoomiesHosts: ["ZoomiesJoinUrl", "ZoomiesJoinArn", "ZoomiesHostsTokenArn", "ZoomiesJoinsTokenArn"],
  helmr: ["HelmrCapacityTokenArn"],
  kici: ["KiciScaleUpUrl", "KiciScaleDownUrl", "KiciSecretArn"],
} as const;

/** Whether the last deployment came to a good end, and has what its parameters ask for. */
export const stackState: Check = ({ stack }) => {
  const found: Diagnosis[] = [];
  if (!/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(stack.status)) {
    const isOver = stack.status.endsWith("_COMPLETE");
    found.push({
      severity: isOver ? "warning" : "error",
      code: "stack_status",
      resource: stack.name,
      what: `The stack is ${stack.status}.`,
      why: isOver
        ? "What runs is an older release than the last one deployed."
        : "Parts of two releases may run side by side.",
      fix: "Read the stack's events in CloudFormation, mend the cause, and deploy again.",
    });
  }
  const on = integrations(stack);
  for (const [integration, outputs] of Object.entries(outputsOf) as [keyof typeof outputsOf, readonly string[]][]) {
    const missing = on[integration] ? outputs.filter((output) => (stack.outputs[output] ?? "") === "") : [];
    if (missing.length === 0) continue;
    found.push({
      severity: "error",
      code: "output_missing",
      resource: stack.name,
      what: `The stack has no output ${missing.join(", ")}.`,
      why: "It was deployed from another template than this one, and was not looked at whole.",
      fix: "Deploy this release: sam build && sam deploy.",
    });
  }
  return found;
};

/** Parameters that contradict each other or the fleets. */
export const configuration: Check = (facts) => {
  const { parameters } = facts.stack;
  const on = integrations(facts.stack);
  const found: Diagnosis[] = [];
  const find = (severity: Severity, code: string, resource: string, what: string, why: string, fix: string) =>
    found.push({ severity, code, resource, what, why, fix });
  const fleets = [
    ["Zoomies", on.zoomies, zoomiesGroups(facts).map(({ group }) => group.name)],
    ["HelmrControlPlaneUrl", on.helmr, helmrGroups(facts).map(({ group }) => group.name)],
    ["Kici", on.kici, scalers(facts).map(({ name }) => name)],
  ] as const;
  for (const [parameter, isOn, names] of fleets) {
    if (isOn && names.length === 0 && facts.groups.unread === undefined && facts.templates.unread === undefined) {
      const what = "The integration is on, and no fleet is tagged for it.";
      find(
        "warning",
        "no_fleet",
        parameter,
        what,
        "Its demand is refused with 404, or never seen.",
        "Tag a fleet, or turn it off.",
      );
    }
    if (!isOn && names.length > 0) {
      const what = `${names.join(", ")} is tagged for it, and the integration is off.`;
      find(
        "error",
        "integration_off",
        parameter,
        what,
        "Nobody answers for this fleet.",
        "Turn it on, or remove the tags.",
      );
    }
  }
  if (on.zoomiesHosts && (parameters["ZoomiesHostRoleArn"] ?? "") === "") {
    const why = "Every instance that asks to join is refused.";
    find(
      "error",
      "host_role_missing",
      "ZoomiesHostRoleArn",
      "It is empty.",
      why,
      "Set it to the role in the hosts' profile.",
    );
  }
  const stuck = on.zoomies && !on.zoomiesHosts ? zoomiesGroups(facts).filter(shrinks) : [];
  for (const { group } of stuck) {
    const what = "drover:scale-in is verified, and ZoomiesApiUrl is empty.";
    find(
      "error",
      "scale_in_without_api",
      group.name,
      what,
      "Nothing can be proven, so no host leaves.",
      "Set ZoomiesApiUrl.",
    );
  }
  const carried = on.kici && (parameters["KiciInstanceRoleArn"] ?? "") === "" ? scalers(facts) : [];
  for (const { name, launched } of carried) {
    if (!launched.hasInstanceProfile) continue;
    const what = `${name} has an instance profile, and KiciInstanceRoleArn is empty.`;
    find(
      "error",
      "role_not_passable",
      "KiciInstanceRoleArn",
      what,
      "EC2 refuses to launch agents.",
      "Set it to the role in that profile.",
    );
  }
  return found;
};

/** Settings that are right for a while only. */
export const forNow: Check = (facts) => {
  const { stack } = facts;
  const paused = [
    ...[...zoomiesGroups(facts), ...helmrGroups(facts)].map(({ group: { name, tags } }) => ({ name, tags })),
    ...scalers(facts),
  ].filter(({ tags }) => "drover:paused" in tags);
  const wanted = [
    [
      "Mode",
      "observe",
      "observe_mode",
      "Drover changes nothing but its own ledger.",
      "Set it to act once the trail looks right.",
    ],
    ["Alarms", "off", "alarms_off", "Nobody hears of a failure.", "Set it to on."],
    [
      "TableDeletionProtection",
      "false",
      "table_unprotected",
      "Deleting the stack deletes the ledger.",
      "Set it to true.",
    ],
  ] as const;
  return [
    ...paused.map(
      ({ name }): Diagnosis => ({
        severity: "warning",
        code: "fleet_paused",
        resource: name,
        tag: "drover:paused",
        what: `${name} is paused.`,
        why: "Its demand is recorded and not acted on.",
        fix: "Remove drover:paused when the reason is over.",
      }),
    ),
    ...wanted.flatMap(([parameter, value, code, why, fix]): Diagnosis[] =>
      stack.parameters[parameter] === value
        ? [{ severity: "warning", code, resource: parameter, what: `${parameter} is ${value}.`, why, fix }]
        : [],
    ),
  ];
};
