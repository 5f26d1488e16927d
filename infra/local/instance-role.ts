import { createHmac, randomBytes } from "node:crypto";
import type { IamIdentities } from "./http/iam-authorizer.ts";

export type RoleCredentials = { accessKeyId: string; secretAccessKey: string; sessionToken: string };

export type InstanceRole = {
  arn: string;
  /** What the instance finds in its metadata. */
  credentials(instanceId: string): RoleCredentials;
  identities: IamIdentities;
};

/** The role that every instance of the local world carries; each session is named after its instance, as EC2 does. */
export function instanceRole(account: string, name = "zoomies-host"): InstanceRole {
  const key = randomBytes(32);
  const instances = new Map<string, string>();
  const derive = (instanceId: string, what: string) =>
    createHmac("sha256", key).update(`${what} ${instanceId}`).digest("base64url");
  const credentials = (instanceId: string): RoleCredentials => {
    const accessKeyId = `ASIA${derive(instanceId, "id")
      .replaceAll(/[^A-Za-z0-9]/g, "")
      .toUpperCase()
      .slice(0, 16)}`;
    instances.set(accessKeyId, instanceId);
    return {
      accessKeyId,
      secretAccessKey: derive(instanceId, "secret"),
      sessionToken: `${derive(instanceId, "session")}/+==`,
    };
  };
  return {
    arn: `arn:aws:iam::${account}:role/${name}`,
    credentials,
    identities(accessKeyId) {
      const instanceId = instances.get(accessKeyId);
      if (instanceId === undefined) return undefined;
      const { secretAccessKey: secretKey, sessionToken } = credentials(instanceId);
      return {
        secretKey,
        sessionToken,
        accountId: account,
        userArn: `arn:aws:sts::${account}:assumed-role/${name}/${instanceId}`,
        userId: `AROALOCALWORLDROLE000:${instanceId}`,
      };
    },
  };
}
