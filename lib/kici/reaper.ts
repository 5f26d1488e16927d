import type { Context } from "aws-lambda";
import type { Records } from "../ledger/records.ts";
import type { TeardownParts } from "./parts.ts";
import { type Cursor, reap } from "./reap.ts";

/** What is left of the function's time when no further page is begun, in milliseconds. */
const reserveMs = 20_000;

/** The five-minute run. It fails when anything in it failed, so that a run reported as good did all it had to do. */
export function reaper(parts: TeardownParts, cursor: Cursor): (event: unknown, context: Context) => Promise<void> {
  return async (_event, context) => {
    const logger = parts.logger.with({ correlationId: context.awsRequestId });
    const until = parts.clock.now() + context.getRemainingTimeInMillis() - reserveMs;
    const run = await reap({ ...parts, logger }, cursor, until);
    logger.log(run.failed > 0 ? "error" : "info", "run", { ...run });
    if (run.failed > 0) throw new Error(`${run.failed} of ${run.instances} instances could not be settled.`);
    parts.metrics.count("RunCompleted", 1, { Run: "kici-reaper" });
  };
}

const cursorKey = { pk: "kici-reaper", sk: "cursor" };

/** The cursor in the ledger, so that it survives a new environment (cases.md 8). A lost write costs one run's order, no more. */
export function ledgerCursor(records: Records): Cursor {
  return {
    async read() {
      return (await records.read<{ at: string }>(cursorKey))?.value.at ?? "";
    },
    async write(at) {
      const before = await records.read<{ at: string }>(cursorKey);
      await (before === undefined ? records.create(cursorKey, { at }) : records.replace(cursorKey, before, { at }));
    },
  };
}
