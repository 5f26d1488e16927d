import type { ZoomiesView } from "./host-observation.ts";
import type { LifeParts } from "./host-parts.ts";
import type { JoinRecord } from "./join-record.ts";
import { joinKey, writeJoin } from "./join-record.ts";

export type Unjoined =
  | { readonly proven: true }
  /** `hostId` when one of its tokens became a host. */
  | { readonly proven: false; readonly reason: string; readonly hostId?: string };

/** Writers of one join record at once: this one and an ask or two. */
const mostTries = 5;
const instanceName = /^i-[0-9a-f]{8,17}$/;

/**
 * Proves that an instance has not joined and cannot any more: its join record is closed, so that no ask mints; each token
 * it was given is unused and revoked; and Zoomies has no host of its name, nor one that just appeared under another.
 */
export async function proveUnjoined(
  parts: LifeParts,
  group: string,
  instance: string,
  view: ZoomiesView,
): Promise<Unjoined> {
  const record = await closeJoin(parts, group, instance);
  if (record === undefined) return { proven: false, reason: "its join record is being written" };
  const { joins, hosts } = parts.life;
  for (const id of record.tokens) {
    const token = await joins.joinToken(id);
    if (token === undefined) continue;
    const hostId = token.used_by_id;
    if (token.used_at !== null || hostId !== undefined) {
      return { proven: false, reason: "its token was used", ...(hostId === undefined ? {} : { hostId }) };
    }
    await joins.revoke(id);
  }
  const known = new Set(view.hosts.map(({ id }) => id));
  for (const host of await hosts.hosts()) {
    if (host.name === instance) return { proven: false, reason: "it has a host", hostId: host.id };
    if (!known.has(host.id) && !instanceName.test(host.name)) {
      return { proven: false, reason: "a host appeared under another name" };
    }
  }
  return { proven: true };
}

/** The instance's join record, closed for good; undefined when asks kept writing it. */
async function closeJoin(
  { records, clock }: LifeParts,
  group: string,
  instance: string,
): Promise<JoinRecord | undefined> {
  let stored = await records.read<JoinRecord>(joinKey(instance));
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (stored?.value.closed) return stored.value;
    const before = stored?.value ?? { group, instance, firstAskedAt: clock.now(), tokens: [] };
    const written = await writeJoin(records, stored, { ...before, closed: true });
    if (written.outcome === "written") return written.stored.value;
    stored = written.stored;
  }
  return undefined;
}
