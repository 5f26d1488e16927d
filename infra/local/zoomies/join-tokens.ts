import { base32Id } from "./event.ts";
import type { Fleet, Host } from "./fleet.ts";

/** A token with which one agent may join, once (notes 5). */
export type JoinToken = {
  id: string;
  /** The controller keeps a hash; here, the text that an agent must show. */
  secret: string;
  capacity: number;
  labels: Readonly<Record<string, string>>;
  createdAt: number;
  expiresAt: number;
  usedAt: number | undefined;
  /** The host it became. */
  usedBy: string | undefined;
};

export const isUsable = ({ usedAt, expiresAt }: JoinToken, now: number): boolean =>
  usedAt === undefined && now < expiresAt;

export type MintRequest = { ttlMs: number; capacity: number; labels: Readonly<Record<string, string>> };

export function mintJoinToken(fleet: Fleet, request: MintRequest, now: number, random: () => number): JoinToken {
  const { ttlMs, capacity, labels } = request;
  const token: JoinToken = {
    id: `join_${base32Id(13, random)}`,
    secret: `zoojoin_${base32Id(40, random)}`,
    capacity,
    labels,
    createdAt: now,
    expiresAt: now + ttlMs,
    usedAt: undefined,
    usedBy: undefined,
  };
  fleet.joinTokens.set(token.id, token);
  return token;
}

/** What an agent says of itself as it joins. */
export type AgentReport = {
  name: string;
  /** Counts where the token leaves the capacity to the agent. */
  capacity: number;
  /** Count where the token has none. */
  labels: Readonly<Record<string, string>>;
  backend: string;
  os: string | undefined;
  arch: string | undefined;
  incompatible?: boolean;
};

export type Joined = { host: Host } | { refused: "unknown token" | "token used" | "token expired" | "name taken" };

/** An agent redeems a token. A name that a host has already is refused, and the token stays unused (notes 4). */
export function redeem(fleet: Fleet, secret: string, agent: AgentReport, now: number, hostId: string): Joined {
  const token = [...fleet.joinTokens.values()].find((each) => each.secret === secret);
  if (token === undefined) return { refused: "unknown token" };
  if (token.usedAt !== undefined) return { refused: "token used" };
  if (!isUsable(token, now)) return { refused: "token expired" };
  if ([...fleet.hosts.values()].some(({ name }) => name === agent.name)) return { refused: "name taken" };
  const host: Host = {
    id: hostId,
    name: agent.name,
    // The token's word counts more than the agent's.
    capacity: token.capacity > 0 ? token.capacity : agent.capacity,
    labels: Object.keys(token.labels).length > 0 ? token.labels : agent.labels,
    backend: agent.backend,
    os: agent.os,
    arch: agent.arch,
    embedded: false,
    incompatible: agent.incompatible ?? false,
    cordoned: false,
    createdAt: now,
    silentSince: undefined,
  };
  fleet.hosts.set(host.id, host);
  token.usedAt = now;
  token.usedBy = host.id;
  return { host };
}
