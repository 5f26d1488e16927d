import type { Logger } from "../../lib/edge/logger.ts";

/** A logger that keeps warnings and errors as lines for an operator. */
export function noteTaker(): { readonly logger: Logger; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const logger: Logger = {
    log(level, message, fields = {}) {
      if (level === "info") return;
      const shown = Object.entries(fields).map(([name, value]) => `${name} ${text(value)}`);
      notes.push([message, ...shown].join(", "));
    },
    with: () => logger,
  };
  return { logger, notes };
}

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
