/** One version of a secret; stages move between versions. */
export interface SecretVersion {
  readonly id: string;
  readonly value: string;
  readonly createdAt: number;
  readonly stages: Set<string>;
}

export interface Secret {
  readonly name: string;
  readonly arn: string;
  readonly createdAt: number;
  readonly versions: SecretVersion[];
}

/**
 * Adds a version and moves stages to it. AWSCURRENT leaves its former version, which then becomes AWSPREVIOUS, and versions
 * without any stage are dropped, as Secrets Manager does in time.
 */
export function addVersion(secret: Secret, version: SecretVersion, stages: readonly string[]): void {
  const current = secret.versions.find((entry) => entry.stages.has("AWSCURRENT"));
  secret.versions.push(version);
  for (const stage of stages) moveStage(secret, stage, version);
  if (stages.includes("AWSCURRENT") && current !== undefined && current !== version) {
    moveStage(secret, "AWSPREVIOUS", current);
  }
  const kept = secret.versions.filter((entry) => entry.stages.size > 0);
  secret.versions.splice(0, secret.versions.length, ...kept);
}

function moveStage(secret: Secret, stage: string, to: SecretVersion): void {
  for (const version of secret.versions) version.stages.delete(stage);
  to.stages.add(stage);
}
