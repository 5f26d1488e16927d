/** `kici.scaler.scale-up` as an orchestrator emits it: these keys, defaults filled in (contract; kici-notes 1). */
export type ScaleUpPayload = {
  scalerName: string;
  agentId: string;
  labels: readonly string[];
  mandatoryLabels: readonly string[];
  resources: { cpus?: number; memBytes?: number };
  orchestratorUrl: string;
  claimCode: string;
  jobId?: string;
  requestId: string;
};

export type ScaleDownReason = "idle" | "job-complete" | "heartbeat-timeout" | "spawn-timeout" | "drain" | "shutdown";

/** `kici.scaler.scale-down` as an orchestrator emits it. */
export type ScaleDownPayload = { scalerName: string; agentId: string; reason: ScaleDownReason; requestId: string };

export type KiciEvent =
  | { name: "kici.scaler.scale-up"; payload: ScaleUpPayload }
  | { name: "kici.scaler.scale-down"; payload: ScaleDownPayload };

const hexDigits = (digits: number, random: () => number): string =>
  Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join("");

/** The prefix and the first eight digits of a UUID: 32 bits, unique enough for one scaler at one time (kici-notes 1). */
export const newAgentId = (random: () => number): string => `scaler-event-${hexDigits(8, random)}`;

/** Another one for each emission, also of the same event's repeat (kici-notes 1). */
export const newRequestId = (random: () => number): string =>
  [8, 4, 4, 4, 12].map((digits) => hexDigits(digits, random)).join("-");

/** The labels of a job's agent: its pool's, and those that the scaler assigns itself. */
export const labelsOf = (scaler: string, base: readonly string[]): string[] => [
  ...base,
  "kici:agent:event",
  `kici:scaler:${scaler}`,
  "kici:role:builder",
  "kici:role:init-runner",
];
