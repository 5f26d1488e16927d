import type { Check, Diagnosis } from "../diagnosis.ts";
import type { Facts } from "../facts.ts";
import { valueOr } from "../known.ts";

/** EC2's own limit, before base64 (EC2 user guide, "Run commands when you launch"). */
const mostUserData = 16_384;

/** What groups and agents are launched from. Drover itself asks for IMDSv2 with one hop when it launches an agent. */
export const launchTemplates: Check = (facts) => [
  ...valueOr(facts.groups, []).flatMap(({ group, template }): Diagnosis[] =>
    template !== undefined
      ? []
      : [
          {
            severity: "warning",
            code: "no_launch_template",
            resource: group.name,
            what: `${group.name} launches from a launch configuration.`,
            why: "Launch configurations get no new features, and IMDSv2 cannot be looked at here.",
            fix: "Move the group to a launch template.",
          },
        ],
  ),
  ...missing(facts),
  ...valueOr(facts.templates, []).flatMap(({ name, group, defaultVersion, latestVersion, launched }): Diagnosis[] => {
    const found: Diagnosis[] = [];
    const resource = group === undefined ? name : `${name} of ${group}`;
    const find = (severity: Diagnosis["severity"], code: string, what: string, why: string, fix: string) =>
      found.push({ severity, code, resource, what, why, fix });
    if (group !== undefined && launched.httpTokens !== "required") {
      const what = `Version ${launched.number} does not require IMDSv2 (HttpTokens is ${launched.httpTokens ?? "left to the image"}).`;
      const why = "A job that can make its host fetch a URL can take the host's role, which may join Zoomies.";
      find("error", "imdsv2_not_required", what, why, "Set MetadataOptions.HttpTokens to required in a new version.");
    }
    if (group !== undefined && launched.hopLimit !== 1) {
      const what = `Version ${launched.number} has the hop limit ${launched.hopLimit ?? "of the image"}.`;
      const why = "With more than one hop containers reach the host's role.";
      find("error", "hop_limit", what, why, "Set MetadataOptions.HttpPutResponseHopLimit to 1 in a new version.");
    }
    if (launched.userDataBytes > mostUserData) {
      const what = `User data has ${launched.userDataBytes} bytes.`;
      const why = `EC2 refuses more than ${mostUserData}, so nothing launches.`;
      find("error", "user_data_too_large", what, why, "Move scripts into the image, or fetch them.");
    }
    if (launched.number !== latestVersion) {
      const what = `Version ${latestVersion} is the latest, and ${launched.number} is launched (default ${defaultVersion}).`;
      const why = "A new image or a mended script that nobody launches looks as if it had been rolled out.";
      const fix =
        group === undefined
          ? "Make it the default: aws ec2 modify-launch-template --default-version."
          : "Point the group at it, or at $Latest.";
      find("warning", "newer_version_not_launched", what, why, fix);
    }
    return found;
  }),
];

function missing({ groups, templates }: Facts): Diagnosis[] {
  const there = valueOr(templates, undefined);
  return valueOr(groups, []).flatMap(({ group: { name }, template }): Diagnosis[] =>
    template === undefined || there === undefined || there.some((each) => each.group === name)
      ? []
      : [
          {
            severity: "error",
            code: "launch_template_missing",
            resource: name,
            what: `It launches from version ${template.version} of ${template.id}, which does not exist.`,
            why: "Every launch fails, whatever desired capacity says.",
            fix: "Give the group a launch template and a version that exist.",
          },
        ],
  );
}
