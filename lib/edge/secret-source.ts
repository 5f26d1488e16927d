import { GetSecretValueCommand, type SecretsManagerClient } from "@aws-sdk/client-secrets-manager";

export type SecretStage = "AWSCURRENT" | "AWSPREVIOUS";

export interface SecretVersion {
  readonly value: string;
  /** When this version was made, milliseconds since the epoch. */
  readonly createdAt: number;
}

/** One credential's store. `undefined` means that there is no such version; an unreachable store throws. */
export interface SecretSource {
  read(stage: SecretStage): Promise<SecretVersion | undefined>;
}

/** A secret in Secrets Manager, by name or ARN, as a raw string (design: secrets). */
export function secretsManagerSource(client: SecretsManagerClient, secretId: string): SecretSource {
  return {
    async read(stage) {
      try {
        const version = await client.send(new GetSecretValueCommand({ SecretId: secretId, VersionStage: stage }));
        if (version.SecretString === undefined) return undefined;
        return { value: version.SecretString, createdAt: version.CreatedDate?.getTime() ?? 0 };
      } catch (error) {
        if (error instanceof Error && error.name === "ResourceNotFoundException") return undefined;
        throw error;
      }
    },
  };
}
