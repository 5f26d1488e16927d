import type {
  DescribeLaunchTemplatesCommandInput,
  DescribeLaunchTemplatesCommandOutput,
  DescribeLaunchTemplateVersionsCommandInput,
  DescribeLaunchTemplateVersionsCommandOutput,
} from "@aws-sdk/client-ec2";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import { matchesFilters, tagValues } from "./filters.ts";
import {
  findTemplate,
  type LaunchTemplate,
  type LaunchTemplateVersionEntry,
  resolveVersion,
} from "./launch-template.ts";
import { resultsPage } from "./results-page.ts";

/** Templates by id, name or filters; 1 to 200 in a page. */
export function describeLaunchTemplates(
  world: World,
  input: DescribeLaunchTemplatesCommandInput,
): Answer<DescribeLaunchTemplatesCommandOutput> {
  const byId = (input.LaunchTemplateIds ?? []).map((id) => findTemplate(world, { LaunchTemplateId: id }));
  const byName = (input.LaunchTemplateNames ?? []).map((name) => findTemplate(world, { LaunchTemplateName: name }));
  const named = [...byId, ...byName];
  const all = named.length > 0 ? named : [...world.launchTemplates.values()];
  const matching = all.filter((template) =>
    matchesFilters(input.Filters, (name) =>
      name === "launch-template-name" ? [template.name] : tagValues(template.tags, name),
    ),
  );
  const page = resultsPage(matching, (template) => template.id, input, { byDefault: 200, least: 1, most: 200 });
  return {
    LaunchTemplates: page.items.map((template) => ({
      LaunchTemplateId: template.id,
      LaunchTemplateName: template.name,
      CreateTime: new Date(Math.floor(template.createdAt / 1000) * 1000),
      CreatedBy: `arn:aws:iam::${world.account}:root`,
      DefaultVersionNumber: template.defaultVersion,
      LatestVersionNumber: template.versions.at(-1)?.number ?? 1,
      Tags: [...template.tags].map(([Key, Value]) => ({ Key, Value })),
    })),
    ...page.token,
  };
}

/** Versions by number, `$Latest` or `$Default`; without any, all of one template. */
export function describeLaunchTemplateVersions(
  world: World,
  input: DescribeLaunchTemplateVersionsCommandInput,
): Answer<DescribeLaunchTemplateVersionsCommandOutput> {
  const template = findTemplate(world, input);
  const wanted = input.Versions ?? [];
  const chosen =
    wanted.length > 0
      ? [...new Set(wanted.map((version) => resolveVersion(template, version)))]
      : template.versions.filter((entry) => isBetween(entry.number, input.MinVersion, input.MaxVersion));
  const limits = { byDefault: 200, least: 1, most: 200 };
  const page = resultsPage(chosen, (entry) => String(1e9 - entry.number).padStart(10, "0"), input, limits);
  return { LaunchTemplateVersions: page.items.map((entry) => versionShape(template, entry)), ...page.token };
}

function versionShape(template: LaunchTemplate, entry: LaunchTemplateVersionEntry) {
  return {
    LaunchTemplateId: template.id,
    LaunchTemplateName: template.name,
    VersionNumber: entry.number,
    CreateTime: new Date(Math.floor(entry.createdAt / 1000) * 1000),
    DefaultVersion: entry.number === template.defaultVersion,
    LaunchTemplateData: structuredClone(entry.data),
    ...(entry.description ? { VersionDescription: entry.description } : {}),
  };
}

function isBetween(number: number, least: string | undefined, most: string | undefined): boolean {
  return number >= Number(least ?? 0) && number <= Number(most ?? Number.MAX_SAFE_INTEGER);
}
