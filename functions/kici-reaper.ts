import { environment } from "../lib/edge/environment.ts";
import { ledgerCursor, reaper } from "../lib/kici/reaper.ts";
import { teardownParts } from "../lib/kici/teardown-parts.ts";

const { parts, records } = teardownParts(environment(process.env));

/** Every five minutes. */
export const handler = reaper(parts, ledgerCursor(records));
