import { vi } from "vitest";

/** Makes the environment that of a shell with credentials and a region, whose AWS is the given endpoints. End it with vi.unstubAllEnvs. */
export function awsShell(endpoints: Readonly<Record<`AWS_ENDPOINT_URL${string}`, string>>): void {
  const shell = { AWS_REGION: "eu-west-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  for (const [name, value] of Object.entries({ ...shell, ...endpoints })) vi.stubEnv(name, value);
}
