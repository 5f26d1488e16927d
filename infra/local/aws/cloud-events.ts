import type { InstanceStateName } from "@aws-sdk/client-ec2";

/** Who or what changed something: a caller's access key id, or the part of AWS that acted by itself. */
type Actor = string;

/** What happened in the simulated cloud, in order; enough to print a timeline and to check invariants after every step. */
export type CloudEvent = { at: number } & (
  | {
      type: "instance-state";
      instanceId: string;
      group?: string;
      from?: InstanceStateName;
      to: InstanceStateName;
      reason: string;
    }
  | { type: "member-state"; group: string; instanceId: string; from?: string; to: string; actor: Actor; reason: string }
  | { type: "desired-capacity"; group: string; from: number; to: number; actor: Actor; operation: string }
  | {
      type: "lifecycle-hook";
      group: string;
      instanceId: string;
      hook: string;
      transition: string;
      outcome: "waiting" | "heartbeat" | "CONTINUE" | "ABANDON" | "timed-out";
      actor: Actor;
    }
  | { type: "scaling-activity"; group: string; activityId: string; status: string; description: string }
  | { type: "spot-interruption"; instanceId: string; group?: string }
  | { type: "rebalance-recommendation"; instanceId: string; group?: string }
  | { type: "secret"; name: string; versionId: string; actor: Actor }
);

export type CloudListener = (event: CloudEvent) => void;

type WithoutTime<E> = E extends unknown ? Omit<E, "at"> : never;

/** An event before the world has stamped it with its time. */
export type UntimedEvent = WithoutTime<CloudEvent>;
