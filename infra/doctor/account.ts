import type { Deployed } from "./facts.ts";
import type { Known } from "./known.ts";

/** What only the account itself tells, beside the services that the functions call too. */
export interface Account {
  /** undefined: there is no such stack here. */
  stack(name: string): Promise<Deployed | undefined>;
  /** Where it looks for stacks. */
  region(): Promise<string>;
  /** The parsed trust policy of a role. */
  trustPolicy(roleArn: string): Promise<Known<unknown>>;
  /** Lambda executions at one time that are not reserved. */
  concurrency(): Promise<Known<number>>;
}
