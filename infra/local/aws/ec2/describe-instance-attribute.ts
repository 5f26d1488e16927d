import type {
  DescribeInstanceAttributeCommandInput,
  DescribeInstanceAttributeCommandOutput,
} from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import { instanceNotFound } from "./describe-instances.ts";

/** One attribute of one instance; an instance without user data answers an empty attribute. */
export function describeInstanceAttribute(
  world: World,
  input: DescribeInstanceAttributeCommandInput,
): Answer<DescribeInstanceAttributeCommandOutput> {
  const id = input.InstanceId ?? "";
  const instance = world.instanceViews.get(id) === undefined ? undefined : world.instances.get(id);
  if (instance === undefined) throw instanceNotFound([id]);
  switch (input.Attribute) {
    case "userData":
      return { InstanceId: id, UserData: instance.userData === undefined ? {} : { Value: instance.userData } };
    case "disableApiTermination":
      return { InstanceId: id, DisableApiTermination: { Value: instance.terminationProtected } };
    case "instanceInitiatedShutdownBehavior":
      return { InstanceId: id, InstanceInitiatedShutdownBehavior: { Value: instance.shutdownBehavior } };
    default:
      throw new AwsError("InvalidParameterValue", `Value (${input.Attribute}) for parameter attribute is invalid.`);
  }
}
