import type { ControlPlane } from "../../../lib/helmr/control-plane.ts";
import type { Life } from "../crash-points.ts";

/** One call of one invocation to AWS. */
export interface AwsCall {
  readonly life: Life;
  /** The SDK command's name. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** One call of one invocation to the Control Plane. */
export interface HelmrCall {
  readonly life: Life;
  readonly method: keyof ControlPlane;
  readonly args: readonly unknown[];
}

/** What a rule gets to see of our code's calls: as they leave, as they take effect, and what is heard of them. */
export interface Witness {
  awsSent?(call: AwsCall): void;
  awsServed?(call: AwsCall): void;
  awsHeard?(call: AwsCall, answer: unknown): void;
  helmrSent?(call: HelmrCall): void;
  helmrServed?(call: HelmrCall, answer: unknown): void;
  helmrHeard?(call: HelmrCall, outcome: { readonly answer: unknown } | { readonly error: unknown }): void;
}

/** All of them as one. */
export function together(witnesses: readonly Witness[]): Required<Witness> {
  return {
    awsSent: (call) => witnesses.forEach((each) => void each.awsSent?.(call)),
    awsServed: (call) => witnesses.forEach((each) => void each.awsServed?.(call)),
    awsHeard: (call, answer) => witnesses.forEach((each) => void each.awsHeard?.(call, answer)),
    helmrSent: (call) => witnesses.forEach((each) => void each.helmrSent?.(call)),
    helmrServed: (call, answer) => witnesses.forEach((each) => void each.helmrServed?.(call, answer)),
    helmrHeard: (call, outcome) => witnesses.forEach((each) => void each.helmrHeard?.(call, outcome)),
  };
}

const awsMutations = new Set([
  "SetDesiredCapacityCommand",
  "TerminateInstanceInAutoScalingGroupCommand",
  "CompleteLifecycleActionCommand",
]);

/** Whether the call changes instances or desired capacity. */
export const isAwsMutation = ({ name }: AwsCall): boolean => awsMutations.has(name);
