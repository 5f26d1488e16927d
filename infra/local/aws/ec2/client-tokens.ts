import { createHash } from "node:crypto";
import type { RunInstancesCommandInput } from "@aws-sdk/client-ec2";
import { AwsError } from "../aws-error.ts";
import type { World } from "../world.ts";
import type { Ec2Instance } from "./instance.ts";

/** A RunInstances request that a client token remembers: what was asked and which instances came of it. */
interface TokenRecord {
  readonly digest: string;
  readonly instanceIds: readonly string[];
  readonly reservationId: string;
  /** Those whose end is not a day past yet. */
  readonly remembered: Set<string>;
}

/** Records by scope: a token and the zone it was used in, or the region where the request named no zone. */
export type ClientTokens = Map<string, TokenRecord>;

/** Where a token counts: in the zone of the request's subnet, else in the whole region; undefined without a token. */
export function tokenScope(
  world: World,
  input: RunInstancesCommandInput,
  subnetId: string | undefined,
): string | undefined {
  if (!input.ClientToken) return undefined;
  const zone = subnetId === undefined ? undefined : (world.subnets.get(subnetId)?.zone ?? subnetId);
  return `${zone ?? world.region} ${input.ClientToken}`;
}

/**
 * What the token already launched, or undefined when it is new here. Throws IdempotentParameterMismatch for another request under
 * the same token, and IdempotentInstanceTerminated once none of its instances lives.
 */
export function recallToken(
  world: World,
  scope: string | undefined,
  input: RunInstancesCommandInput,
): { reservationId: string; instances: Ec2Instance[] } | undefined {
  const record = scope === undefined ? undefined : world.clientTokens.get(scope);
  if (record === undefined) return undefined;
  if (record.digest !== digestOf(input)) {
    throw new AwsError(
      "IdempotentParameterMismatch",
      "The request uses the same client token as a previous, but non-identical request.",
    );
  }
  const instances = record.instanceIds.flatMap((id) => world.instances.get(id) ?? []);
  if (instances.some((instance) => instance.state !== "terminated")) {
    return { reservationId: record.reservationId, instances };
  }
  throw new AwsError(
    "IdempotentInstanceTerminated",
    "The request to launch an instance uses the same client token as a previous request for which the instance has been terminated.",
  );
}

/** Keeps the token until a day after its last instance ended; a launch that failed leaves its token free. */
export function rememberToken(
  world: World,
  scope: string | undefined,
  input: RunInstancesCommandInput,
  reservationId: string,
  instances: readonly Ec2Instance[],
): void {
  if (scope === undefined) return;
  const instanceIds = instances.map((instance) => instance.id);
  const remembered = new Set(instanceIds);
  world.clientTokens.set(scope, { digest: digestOf(input), instanceIds, reservationId, remembered });
}

/** An instance is terminated: a day later the token that launched it counts it no longer. */
export function tokenInstanceEnded(world: World, instance: Ec2Instance): void {
  if (instance.clientToken === undefined) return;
  const scopes = [`${instance.zone} ${instance.clientToken}`, `${world.region} ${instance.clientToken}`];
  world.after("tokenKept", () => {
    for (const scope of scopes) {
      const record = world.clientTokens.get(scope);
      if (record?.remembered.delete(instance.id) && record.remembered.size === 0) world.clientTokens.delete(scope);
    }
  });
}

function digestOf(input: RunInstancesCommandInput): string {
  return createHash("sha256").update(canonical(input)).digest("hex");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
    .join()}}`;
}
