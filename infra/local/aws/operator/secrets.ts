import { addVersion, type Secret } from "../secrets/secret.ts";
import type { World } from "../world.ts";

/** What an operator does to secrets. */
export interface SecretOperator {
  /** Creates the secret, or gives it a new AWSCURRENT whose predecessor becomes AWSPREVIOUS; returns its ARN. */
  putSecret(name: string, value: string, options?: { createdAt?: number; stages?: string[] }): string;
  /** A secret that exists and has no value yet, as a template without a value makes it. */
  createEmptySecret(name: string): string;
  deleteSecret(name: string): void;
}

export function secretOperator(world: World, settle: () => void): SecretOperator {
  const ensure = (name: string): Secret => {
    settle();
    const known = world.secrets.get(name);
    if (known !== undefined) return known;
    const suffix = world.newUuid().slice(0, 6);
    const arn = `arn:aws:secretsmanager:${world.region}:${world.account}:secret:${name}-${suffix}`;
    const secret: Secret = { name, arn, createdAt: world.now(), versions: [] };
    world.secrets.set(name, secret);
    return secret;
  };
  return {
    putSecret(name, value, { createdAt = world.now(), stages = ["AWSCURRENT"] } = {}) {
      const secret = ensure(name);
      const version = { id: world.newUuid(), value, createdAt, stages: new Set<string>() };
      addVersion(secret, version, stages);
      world.emit({ type: "secret", name, versionId: version.id, actor: "operator" });
      return secret.arn;
    },
    createEmptySecret: (name) => ensure(name).arn,
    deleteSecret(name) {
      settle();
      world.secrets.delete(name);
    },
  };
}
