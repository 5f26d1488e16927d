import type {
  AutoScalingGroup,
  DescribeAutoScalingGroupsCommandInput,
  DescribeAutoScalingGroupsCommandOutput,
  Filter,
} from "@aws-sdk/client-auto-scaling";
import { validationError } from "../aws-error.ts";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import { recordsPage } from "./limits.ts";

/** Groups by name, by tags, or both (then both must hold). Unknown names are left out without an error. */
export function describeAutoScalingGroups(
  world: World,
  input: DescribeAutoScalingGroupsCommandInput,
): Answer<DescribeAutoScalingGroupsCommandOutput> {
  const names = input.AutoScalingGroupNames ?? [];
  const wanted = names.length > 0 ? [...new Set(names)] : world.groupViews.keys();
  const filters = input.Filters ?? [];
  const groups: AutoScalingGroup[] = [];
  for (const name of wanted) {
    const group = world.groupViews.get(name);
    if (group !== undefined && filters.every((filter) => matches(group, filter))) groups.push(group);
  }
  const page = recordsPage(groups, (group) => group.AutoScalingGroupName ?? "", input, { byDefault: 50, most: 100 });
  const withInstances = input.IncludeInstances !== false;
  return {
    AutoScalingGroups: page.items.map((group) => (withInstances ? group : { ...group, Instances: [] })),
    ...(page.nextToken ? { NextToken: page.nextToken } : {}),
  };
}

/** One filter holds when any of its values fits any tag of the group. */
function matches(group: AutoScalingGroup, filter: Filter): boolean {
  const values = filter.Values ?? [];
  const tags = group.Tags ?? [];
  const name = filter.Name ?? "";
  if (name === "tag-key") return tags.some((tag) => values.includes(tag.Key ?? ""));
  if (name === "tag-value") return tags.some((tag) => values.includes(tag.Value ?? ""));
  if (name.startsWith("tag:")) {
    const key = name.slice("tag:".length);
    return tags.some((tag) => tag.Key === key && values.includes(tag.Value ?? ""));
  }
  throw validationError(`Filter name '${name}' is not valid. Use tag-key, tag-value or tag:<key>.`);
}
