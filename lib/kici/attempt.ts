import { createHash } from "node:crypto";
import type { LaunchRequest } from "../capacity/instances.ts";
import type { Offering } from "../capacity/offerings.ts";
import type { ScalerFleet } from "../capacity/scaler-fleet.ts";
import type { AgentName } from "./agent-record.ts";
import type { ScaleUpEvent } from "./scale-up-event.ts";
import { userData, userDataVersion } from "./user-data.ts";

/**
 * One try to launch one agent's instance at one offering, frozen before the call: a repeat under the same token must be the same request to
 * the letter. Everything is here but the claim code, so only a redelivery of the event can repeat it.
 */
export interface Attempt {
  /** Grows with every try of this agent. */
  readonly number: number;
  readonly token: string;
  readonly templateId: string;
  readonly templateVersion: string;
  /** The AMI that this version stood for. */
  readonly imageId: string;
  readonly offering: Offering;
  readonly agentImage: string;
  readonly lifetimeMinutes: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly builder: number;
  /** SHA-256 of the whole request, claim code and all: tells another request, and nothing about this one. */
  readonly digest: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Tags by which a KiCI agent's instance is known; the first three are KiCI's own names (kici-notes 6). */
export const managedTag = "kici-managed";
export const agentTag = "kici-agent-id";
export const scalerTag = "kici-scaler";
export const expiryTag = "drover:expires-at";

/** ClientToken of an attempt: 64 hex digits, EC2's longest. Tokens count per zone, so the offering is part of it. */
export function clientToken(stack: string, { scaler, agent }: AgentName, number: number, offering: Offering): string {
  const parts = [stack, scaler, agent, number, offering.instanceType, offering.subnet];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

export interface AttemptGround {
  readonly stack: string;
  readonly fleet: ScalerFleet;
  /** The AMI of the fleet's template. */
  readonly imageId: string;
  readonly number: number;
  readonly offering: Offering;
  readonly now: number;
}

/** A new attempt for this event, and the request that it stands for. */
export function freeze(event: ScaleUpEvent, ground: AttemptGround): { attempt: Attempt; request: LaunchRequest } {
  const { stack, fleet, imageId, number, offering, now } = ground;
  const name = { scaler: event.scalerName, agent: event.agentId };
  const open: Attempt = {
    number,
    token: clientToken(stack, name, number, offering),
    templateId: fleet.template.id,
    templateVersion: fleet.template.version,
    imageId,
    offering,
    agentImage: fleet.agentImage,
    lifetimeMinutes: fleet.maxLifetimeMinutes,
    tags: {
      "drover:stack": stack,
      [expiryTag]: new Date(now + fleet.maxLifetimeMinutes * 60_000).toISOString(),
      [managedTag]: stack,
      [agentTag]: event.agentId,
      [scalerTag]: event.scalerName,
    },
    builder: userDataVersion,
    digest: "",
    at: now,
  };
  const request = requestOf(open, event);
  return { attempt: { ...open, digest: digestOf(request) }, request };
}

/**
 * The frozen attempt's request once more; undefined when it cannot be repeated: this event or this release would make
 * another request of it, or the instance's life would be over before it began.
 */
export function thaw(attempt: Attempt, event: ScaleUpEvent, now: number): LaunchRequest | undefined {
  if (attempt.builder !== userDataVersion || now >= attempt.at + attempt.lifetimeMinutes * 60_000) return undefined;
  const request = requestOf(attempt, event);
  return attempt.digest === digestOf(request) ? request : undefined;
}

function requestOf(attempt: Attempt, event: ScaleUpEvent): LaunchRequest {
  return {
    token: attempt.token,
    templateId: attempt.templateId,
    templateVersion: attempt.templateVersion,
    instanceType: attempt.offering.instanceType,
    subnet: attempt.offering.subnet,
    tags: attempt.tags,
    userData: userData({
      agentId: event.agentId,
      labels: event.labels,
      orchestratorUrl: event.orchestratorUrl,
      claimCode: event.claimCode,
      image: attempt.agentImage,
      lifetimeMinutes: attempt.lifetimeMinutes,
    }),
  };
}

const digestOf = (request: LaunchRequest): string => createHash("sha256").update(JSON.stringify(request)).digest("hex");
