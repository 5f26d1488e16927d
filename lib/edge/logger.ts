export type LogLevel = "info" | "warn" | "error";
export type LogFields = Readonly<Record<string, unknown>>;

/** Structured lines, one JSON object each. Callers pass names and numbers, never a secret, token, signature or body. */
export interface Logger {
  log(level: LogLevel, message: string, fields?: LogFields): void;
  /** The same logger with fields added to every line, the correlation id first of all. */
  with(fields: LogFields): Logger;
}

/** What an error may show in a log: its name and message, and the same of its cause. Stacks stay out. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.name, detail: error.message, ...(error.cause ? { cause: errorFields(error.cause) } : {}) };
}

export function jsonLogger(write: (line: string) => void, fields: LogFields = {}): Logger {
  return {
    log(level, message, more = {}) {
      // Level and message come first in the line, and stay the line's own where a field has the same name.
      write(JSON.stringify(Object.assign({ level, message }, fields, more, { level, message })));
    },
    with: (more) => jsonLogger(write, { ...fields, ...more }),
  };
}
