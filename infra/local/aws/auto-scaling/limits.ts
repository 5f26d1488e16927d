import { AwsError, validationError } from "../aws-error.ts";
import { type Page, pageOf } from "../paging.ts";
import type { World } from "../world.ts";
import type { Group } from "./group.ts";

/** A page of an Auto Scaling listing: MaxRecords from 1 to the operation's maximum. */
export function recordsPage<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  request: { MaxRecords?: number | undefined; NextToken?: string | undefined },
  limits: { byDefault: number; most: number },
): Page<T> {
  const size = request.MaxRecords ?? limits.byDefault;
  if (size < 1 || size > limits.most) {
    const bound = size < 1 ? "greater than or equal to 1" : `less than or equal to ${limits.most}`;
    throw validationError(
      `1 validation error detected: Value '${size}' at 'maxRecords' failed to satisfy constraint: Member must have value ${bound}`,
    );
  }
  const invalid = new AwsError("InvalidNextToken", "The NextToken value is not valid.");
  return pageOf(items, keyOf, size, request.NextToken, invalid);
}

/** The group a request must name, or the ValidationError of AWS for a name it does not know. */
export function requireGroup(world: World, name: string | undefined): Group {
  const group = world.groups.get(name ?? "");
  if (group !== undefined) return group;
  throw validationError(`AutoScalingGroup name not found - AutoScalingGroup '${name}' not found`);
}

/** Refuses a request that lacks a required parameter, as the service's own validation does. */
export function requireParameter(value: unknown, name: string): void {
  if (value !== undefined && value !== null) return;
  throw validationError(
    `1 validation error detected: Value null at '${name}' failed to satisfy constraint: Member must not be null`,
  );
}
