import type { Account } from "../account.ts";
import type { Deployed } from "../facts.ts";

/** The local world's: it has neither CloudFormation nor IAM, and its Lambda has no quota worth a look. */
export const localAccount = (deployed: Deployed): Account => ({
  stack: async (name) => (name === deployed.name ? deployed : undefined),
  region: async () => "the local world",
  trustPolicy: async () => ({ unread: "the local world has no IAM" }),
  concurrency: async () => ({ unread: "the local world has no Lambda quotas" }),
});
