import type { TerminateInstancesCommandInput, TerminateInstancesCommandOutput } from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import { instanceNotFound, requireWellFormed } from "./describe-instances.ts";
import { type Ec2Instance, stateShape } from "./instance.ts";
import { stateReasons, terminateInstance } from "./life-cycle.ts";

/**
 * Ends instances; ending an ended one again changes nothing. One unknown id fails the whole request without effect. A protected
 * instance fails it too and saves all named instances of its own zone, while those of other zones end all the same.
 */
export function terminateInstances(
  world: World,
  input: TerminateInstancesCommandInput,
): Answer<TerminateInstancesCommandOutput> {
  const ids = [...new Set(input.InstanceIds ?? [])];
  if (ids.length === 0) throw new AwsError("MissingParameter", "The request must contain the parameter InstanceId");
  requireWellFormed(ids);
  const instances = requireKnown(world, ids);
  const savedZones = new Map(
    instances.filter((entry) => entry.terminationProtected).map((entry) => [entry.zone, entry]),
  );
  const ended = instances
    .filter((instance) => !savedZones.has(instance.zone))
    .map((instance) => {
      const before = stateShape(instance.state);
      terminateInstance(world, instance, stateReasons.user);
      return { InstanceId: instance.id, PreviousState: before, CurrentState: stateShape(instance.state) };
    });
  const [saved] = savedZones.values();
  if (saved === undefined) return { TerminatingInstances: ended };
  throw new AwsError(
    "OperationNotPermitted",
    `The instance '${saved.id}' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.`,
  );
}

/** An instance so new that reads do not show it yet is as unknown here as it is there. */
function requireKnown(world: World, ids: readonly string[]): Ec2Instance[] {
  const known = ids.flatMap((id) => (world.instanceViews.get(id) ? (world.instances.get(id) ?? []) : []));
  const missing = ids.filter((id) => !known.some((instance) => instance.id === id));
  if (missing.length > 0) throw instanceNotFound(missing);
  return known;
}
