import {
  DescribeLaunchTemplatesCommand,
  type DescribeLaunchTemplatesCommandInput,
  DescribeLaunchTemplateVersionsCommand,
  type EC2Client,
} from "@aws-sdk/client-ec2";
import { exactly } from "./filter-values.ts";
import type { LaunchTemplate, LaunchTemplates } from "./launch-templates.ts";

/** The API's own largest page, in templates. */
const pageSize = 200;

/** Launch templates as they are listed, for a function that launches none; `stack` is the value of `drover:stack` of ours. */
export function listedLaunchTemplates(reads: EC2Client, stack: string): Pick<LaunchTemplates, "tagged"> {
  return {
    async tagged(tag, value) {
      const input: DescribeLaunchTemplatesCommandInput = {
        Filters: [
          { Name: "tag:drover:stack", Values: [exactly(stack)] },
          { Name: `tag:${tag}`, Values: [exactly(value)] },
        ],
        MaxResults: pageSize,
      };
      const found: LaunchTemplate[] = [];
      let next: string | undefined;
      do {
        const page = await reads.send(
          new DescribeLaunchTemplatesCommand(next === undefined ? input : { ...input, NextToken: next }),
        );
        for (const template of page.LaunchTemplates ?? []) {
          const { LaunchTemplateId: id, LaunchTemplateName: name = "", DefaultVersionNumber: version } = template;
          if (id === undefined || version === undefined)
            throw new Error(`EC2 described a launch template (${name}) by half.`);
          const tags = Object.fromEntries((template.Tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value]));
          found.push({ id, name, version: String(version), tags });
        }
        next = page.NextToken;
      } while (next !== undefined && next !== "");
      return found.filter(({ tags }) => tags["drover:stack"] === stack && tags[tag] === value);
    },
  };
}

/** Launch templates through the AWS SDK; `stack` is the value of `drover:stack` that makes a template ours. */
export function ec2LaunchTemplates(reads: EC2Client, stack: string): LaunchTemplates {
  return {
    ...listedLaunchTemplates(reads, stack),
    async version(id, version) {
      const { LaunchTemplateVersions: [only] = [] } = await reads.send(
        // An image that is named by a parameter is told as the AMI that it stands for.
        new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: id, Versions: [version], ResolveAlias: true }),
      );
      if (only?.LaunchTemplateData === undefined) throw new Error(`EC2 described no version ${version} of ${id}.`);
      const { ImageId, NetworkInterfaces = [], InstanceMarketOptions } = only.LaunchTemplateData;
      return {
        imageId: ImageId,
        hasInterfaces: NetworkInterfaces.length > 0,
        isPersistentSpot: InstanceMarketOptions?.SpotOptions?.SpotInstanceType === "persistent",
      };
    },
  };
}
