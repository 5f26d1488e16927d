import type { ResponseLaunchTemplateData } from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";
import type { World } from "../world.ts";

export interface LaunchTemplateVersionEntry {
  readonly number: number;
  readonly createdAt: number;
  readonly description?: string;
  readonly data: ResponseLaunchTemplateData;
}

export interface LaunchTemplate {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly tags: Map<string, string>;
  readonly versions: LaunchTemplateVersionEntry[];
  defaultVersion: number;
}

/** The version that `$Default`, `$Latest` or a number names; absent means the default. */
export function resolveVersion(template: LaunchTemplate, version: string | undefined): LaunchTemplateVersionEntry {
  const wanted = versionNumber(template, version);
  const found = template.versions.find((entry) => entry.number === wanted);
  if (found === undefined) {
    throw new AwsError(
      "InvalidLaunchTemplateId.VersionNotFound",
      `Could not find the specified version ${version} for the launch template with ID ${template.id}.`,
    );
  }
  return found;
}

function versionNumber(template: LaunchTemplate, version: string | undefined): number {
  if (version === undefined || version === "" || version === "$Default") return template.defaultVersion;
  if (version === "$Latest") return Math.max(...template.versions.map((entry) => entry.number));
  return Number(version);
}

/** A template by its id or else its name, as every request that names one does. */
export function findTemplate(
  world: World,
  named: { LaunchTemplateId?: string | undefined; LaunchTemplateName?: string | undefined },
): LaunchTemplate {
  const { LaunchTemplateId: id, LaunchTemplateName: name } = named;
  if (id !== undefined) {
    const template = world.launchTemplates.get(id);
    if (template !== undefined) return template;
    throw new AwsError(
      "InvalidLaunchTemplateId.NotFound",
      `The specified launch template, with template ID ${id}, does not exist.`,
    );
  }
  const template = [...world.launchTemplates.values()].find((entry) => entry.name === name);
  if (template !== undefined) return template;
  throw new AwsError(
    "InvalidLaunchTemplateName.NotFoundException",
    `The specified launch template, with template name ${name}, does not exist.`,
  );
}
