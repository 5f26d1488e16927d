import type {
  DescribeSecretCommandInput,
  DescribeSecretCommandOutput,
  GetSecretValueCommandInput,
  GetSecretValueCommandOutput,
  PutSecretValueCommandInput,
  PutSecretValueCommandOutput,
} from "@aws-sdk/client-secrets-manager";
import { AwsError } from "../aws-error.ts";
import type { Answer } from "../operation.ts";
import type { World } from "../world.ts";
import { addVersion, type Secret } from "./secret.ts";

/** A version is chosen by its id, its stage, or both when they agree; without either it is AWSCURRENT. */
export function getSecretValue(world: World, input: GetSecretValueCommandInput): Answer<GetSecretValueCommandOutput> {
  const secret = findSecret(world, input.SecretId);
  const stage = input.VersionStage ?? (input.VersionId === undefined ? "AWSCURRENT" : undefined);
  const version = secret.versions.find(
    (entry) =>
      (input.VersionId === undefined || entry.id === input.VersionId) &&
      (stage === undefined || entry.stages.has(stage)),
  );
  if (version === undefined) {
    const missing = input.VersionId === undefined ? `staging label: ${stage}` : `VersionId: ${input.VersionId}`;
    throw notFound(`Secrets Manager can't find the specified secret value for ${missing}`);
  }
  return {
    ARN: secret.arn,
    Name: secret.name,
    VersionId: version.id,
    SecretString: version.value,
    VersionStages: [...version.stages],
    CreatedDate: new Date(version.createdAt),
  };
}

/** Stores a new version, AWSCURRENT unless other stages are asked for. The same token again changes nothing. */
export function putSecretValue(
  world: World,
  input: PutSecretValueCommandInput,
  caller: string,
): Answer<PutSecretValueCommandOutput> {
  const secret = findSecret(world, input.SecretId);
  const id = input.ClientRequestToken ?? world.newUuid();
  const stages = input.VersionStages ?? ["AWSCURRENT"];
  const known = secret.versions.find((entry) => entry.id === id);
  if (known !== undefined && known.value !== input.SecretString) {
    throw new AwsError("ResourceExistsException", "A version with this ID already exists and has another value.");
  }
  if (known === undefined) {
    const version = { id, value: input.SecretString ?? "", createdAt: world.now(), stages: new Set<string>() };
    addVersion(secret, version, stages);
    world.emit({ type: "secret", name: secret.name, versionId: id, actor: caller });
  }
  return { ARN: secret.arn, Name: secret.name, VersionId: id, VersionStages: [...stages] };
}

export function describeSecret(world: World, input: DescribeSecretCommandInput): Answer<DescribeSecretCommandOutput> {
  const secret = findSecret(world, input.SecretId);
  return {
    ARN: secret.arn,
    Name: secret.name,
    CreatedDate: new Date(secret.createdAt),
    LastChangedDate: new Date(Math.max(secret.createdAt, ...secret.versions.map((entry) => entry.createdAt))),
    VersionIdsToStages: Object.fromEntries(secret.versions.map((entry) => [entry.id, [...entry.stages]])),
  };
}

function findSecret(world: World, id: string | undefined): Secret {
  const secret = [...world.secrets.values()].find((entry) => entry.name === id || entry.arn === id);
  if (secret === undefined) throw notFound("Secrets Manager can't find the specified secret.");
  return secret;
}

function notFound(message: string): AwsError {
  return new AwsError("ResourceNotFoundException", message);
}
