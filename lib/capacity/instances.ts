import type { LaunchRefusal } from "./launch-error-codes.ts";
import type { Tags } from "./tag-reader.ts";

/** EC2's instance states; anything else is `unknown`. */
export const instanceStates = ["pending", "running", "stopping", "stopped", "shutting-down", "terminated"] as const;
export type InstanceState = (typeof instanceStates)[number] | "unknown";

/** One EC2 instance as one Describe showed it. */
export interface Instance {
  readonly id: string;
  readonly state: InstanceState;
  readonly tags: Tags;
  /** As EC2 writes it: x86_64, arm64; "" when it was not told. */
  readonly architecture: string;
  /** Milliseconds since the epoch. */
  readonly launchedAt: number | undefined;
}

/** Whether the instance is over: nothing runs on it, and nothing will. */
export const isGone = ({ state }: Instance): boolean => state === "shutting-down" || state === "terminated";

/** One instance to launch, with everything that the call says and the template does not. */
export interface LaunchRequest {
  /** EC2's ClientToken: a repeat with the same token and the same request launches nothing new, in one zone. */
  readonly token: string;
  readonly templateId: string;
  readonly templateVersion: string;
  readonly instanceType: string;
  readonly subnet: string;
  /** On the instance, its volumes and its network interface. */
  readonly tags: Tags;
  /** As the instance reads it, before base64. */
  readonly userData: string;
}

/** What became of a launch that was sent once. */
export type LaunchOutcome =
  | { readonly outcome: "launched"; readonly id: string }
  /** EC2 said no and nothing was launched by this call; `code` is AWS's. */
  | { readonly outcome: "refused"; readonly code: string; readonly kind: LaunchRefusal }
  /** No answer, or one that does not tell: it may have been launched (design: rule 5). */
  | { readonly outcome: "unknown"; readonly code: string }
  /** It was not sent, because this stack only observes. */
  | { readonly outcome: "observed" };

/** What became of one instance that EC2 was asked to terminate. */
export type Ending =
  /** EC2 shows it shutting down or terminated. */
  | { readonly id: string; readonly outcome: "ended" }
  /** EC2 does not know this id: gone for long, or too young to be seen. */
  | { readonly id: string; readonly outcome: "not-found" }
  | { readonly id: string; readonly outcome: "failed"; readonly code: string }
  /** EC2 was not asked, because this stack, or this fleet, is only observed. */
  | { readonly id: string; readonly outcome: "observed" };

/** Single EC2 instances of this stack. Errors other than the named outcomes throw. */
export interface Instances {
  /** Every instance from pending to stopped with exactly these tags, and with these keys whatever their values. */
  living(tags: Tags, keys?: readonly string[]): Promise<Instance[]>;
  /** Those of the named that EC2 shows, in any state and with whatever tags they have now: ids come from our own launches. */
  shown(ids: readonly string[]): Promise<Instance[]>;
  /** Terminates; one that cannot be does not shield the others (cases.md 20). */
  end(ids: readonly string[]): Promise<Ending[]>;
}

/** Apart from seeing and ending, since most functions must not be able to launch. */
export interface Launches {
  /** Launches one instance, or finds out that it was not; sent exactly once. */
  launch(request: LaunchRequest): Promise<LaunchOutcome>;
}
