import {
  DescribeLaunchTemplatesCommand,
  type DescribeLaunchTemplatesCommandInput,
  DescribeLaunchTemplateVersionsCommand,
  type EC2Client,
  type LaunchTemplate,
} from "@aws-sdk/client-ec2";
import { exactly } from "../../../lib/capacity/filter-values.ts";
import type { GroupFacts, LaunchedVersion, TemplateFacts } from "../facts.ts";

/** The templates that carry the stack's tag, and those that its groups launch from, as far as they are there. */
export async function gatherTemplates(
  client: EC2Client,
  stack: string,
  groups: readonly GroupFacts[],
): Promise<TemplateFacts[]> {
  const facts: TemplateFacts[] = [];
  for (const template of await templates(client, {
    Filters: [{ Name: "tag:drover:stack", Values: [exactly(stack)] }],
  })) {
    facts.push(await templateFacts(client, template, "$Default", undefined));
  }
  for (const { group, template } of groups) {
    if (template === undefined) continue;
    const look = async () => {
      const [found] = await templates(client, { LaunchTemplateIds: [template.id] });
      return found === undefined ? [] : [await templateFacts(client, found, template.version, group.name)];
    };
    facts.push(...(await look().catch(noneWhenGone)));
  }
  return facts;
}

/** A template or version that is gone is no reason to know nothing of the others. */
function noneWhenGone(error: unknown): TemplateFacts[] {
  if (error instanceof Error && /^InvalidLaunchTemplateId\.(Version)?NotFound$/.test(error.name)) return [];
  throw error;
}

async function templates(client: EC2Client, input: DescribeLaunchTemplatesCommandInput): Promise<LaunchTemplate[]> {
  const found: LaunchTemplate[] = [];
  let next: string | undefined;
  do {
    const page = await client.send(new DescribeLaunchTemplatesCommand(next ? { ...input, NextToken: next } : input));
    found.push(...(page.LaunchTemplates ?? []));
    next = page.NextToken;
  } while (next !== undefined && next !== "");
  return found;
}

async function templateFacts(
  client: EC2Client,
  template: LaunchTemplate,
  version: string,
  group: string | undefined,
): Promise<TemplateFacts> {
  const id = template.LaunchTemplateId ?? "";
  return {
    id,
    name: template.LaunchTemplateName ?? id,
    tags: Object.fromEntries((template.Tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value])),
    defaultVersion: String(template.DefaultVersionNumber ?? ""),
    latestVersion: String(template.LatestVersionNumber ?? ""),
    group,
    launched: await launchedVersion(client, id, version),
  };
}

async function launchedVersion(client: EC2Client, id: string, version: string): Promise<LaunchedVersion> {
  const { LaunchTemplateVersions: [only] = [] } = await client.send(
    new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: id, Versions: [version] }),
  );
  const { MetadataOptions, UserData = "", IamInstanceProfile } = only?.LaunchTemplateData ?? {};
  return {
    number: String(only?.VersionNumber ?? version),
    httpTokens: MetadataOptions?.HttpTokens,
    hopLimit: MetadataOptions?.HttpPutResponseHopLimit,
    userDataBytes: Buffer.from(UserData, "base64").length,
    hasInstanceProfile: IamInstanceProfile !== undefined,
  };
}
