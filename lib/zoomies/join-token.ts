import type { Refusal } from "../edge/http-answer.ts";
import { errorFields } from "../edge/logger.ts";
import type { Stored } from "../ledger/records.ts";
import type { JoinToken, JoinTokenRequest } from "./api.ts";
import type { JoinParts } from "./join-parts.ts";
import { type JoinRecord, joinKey, writeJoin } from "./join-record.ts";

export type Minted = { readonly token: string; readonly refusal?: undefined } | { readonly refusal: Refusal };

/** How long one ask may take to mint; another one at the same time is told to come back. */
const mintingMs = 15_000;

const refused = (status: number, code: string, message: string) => ({ refusal: { status, code, message } });
const busy = refused(425, "being_minted", "Another ask of this instance is being answered. Ask again.");
const closed = refused(410, "too_late", "This instance was given up. It joins no more.");

/**
 * One join token for an instance. An earlier one is checked for use and revoked first, and a token is delivered only when
 * the ledger has taken its id over everything that was read before, so that no two that are both alive are ever
 * delivered. A token whose mint was answered to nobody, or that lost a race, is revoked or dies by its life.
 */
export async function mintToken(
  parts: JoinParts,
  group: string,
  instance: string,
  request: JoinTokenRequest,
): Promise<Minted> {
  const { records, clock, newToken, joins } = parts;
  const before = await records.read<JoinRecord>(joinKey(instance));
  const now = clock.now();
  const known: JoinRecord = before?.value ?? { group, instance, firstAskedAt: now, tokens: [] };
  if (known.closed) return closed;
  if ((known.mintingUntil ?? 0) > now) return busy;
  const intent = { ...known, group, mintingBy: newToken(), mintingUntil: now + mintingMs };
  const taken = await writeJoin(records, before, intent);
  if (taken.outcome === "conflict") return taken.stored?.value.closed ? closed : busy;

  try {
    for (const id of known.tokens) {
      const token = await joins.joinToken(id);
      if (token === undefined) continue;
      if (isUsed(token)) {
        await letGo(parts, taken.stored);
        return refused(409, "token_used", "This instance's token was used: it has joined.");
      }
      await joins.revoke(id);
    }
    const minted = await joins.mint(request);
    return await deliver(parts, taken.stored, minted);
  } catch (error) {
    await letGo(parts, taken.stored);
    throw error;
  }
}

const isUsed = ({ used_at, used_by_id }: JoinToken): boolean => used_at !== null || used_by_id !== undefined;

async function deliver(
  parts: JoinParts,
  taken: Stored<JoinRecord>,
  minted: JoinToken & { readonly token: string },
): Promise<Minted> {
  try {
    const written = await writeJoin(parts.records, taken, released(taken.value, [minted.id]));
    if (written.outcome === "written") return { token: minted.token };
  } catch (error) {
    // Whether the id is in the ledger is not known: this token must reach nobody.
    await revokeQuietly(parts, minted.id);
    throw error;
  }
  await revokeQuietly(parts, minted.id);
  return busy;
}

function released(
  { mintingBy: _by, mintingUntil: _until, ...rest }: JoinRecord,
  tokens: readonly string[],
): JoinRecord {
  return { ...rest, tokens };
}

/** Ends the ask without a token. Where that fails too, the ask's own end frees the next one. */
async function letGo({ records, logger }: JoinParts, taken: Stored<JoinRecord>): Promise<void> {
  try {
    await writeJoin(records, taken, released(taken.value, taken.value.tokens));
  } catch (error) {
    logger.log("warn", "ask not ended", errorFields(error));
  }
}

async function revokeQuietly({ joins, logger }: JoinParts, id: string): Promise<void> {
  try {
    await joins.revoke(id);
  } catch (error) {
    logger.log("warn", "token left to its life", { tokenId: id, ...errorFields(error) });
  }
}
