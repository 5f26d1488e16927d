import { connection } from "./connection.ts";
import { realTimers, type Timers } from "./timers.ts";
import { followOnce } from "./update-connection.ts";

export interface UpdateStreamSettings {
  readonly baseUrl: string;
  readonly token: () => Promise<string>;
  readonly refused?: (token: string) => void;
  /** Something may have changed: look again. Several changes may come as one, and one may be lost (the contract). */
  readonly onChange: () => void;
  /** Told once for each stream that ended or did not open, with the reason; for a log line. */
  readonly onLost?: (reason: string) => void;
  /** Ends the stream as `close` does. */
  readonly signal?: AbortSignal;
  readonly timers?: Timers;
  /** From 0 to 1, so that many readers of one Control Plane do not come back at the same moment. */
  readonly jitter?: () => number;
}

export interface UpdateStream {
  /** Ends the stream and every socket of it at once. */
  close(): void;
}

const firstBackoffMs = 500;
/** No longer than a periodic cycle, which covers what was missed. */
const longestBackoffMs = 15_000;

/** Milliseconds until the next try after `failures` in a row: doubled each time, then between half and all of it. */
export function backoffMs(failures: number, jitter: number): number {
  return Math.min(firstBackoffMs * 2 ** (failures - 1), longestBackoffMs) * (0.5 + jitter / 2);
}

/**
 * Follows the Control Plane's update stream and reconnects for as long as it is open. It never throws and never rejects:
 * a stream that is dead costs latency and nothing else (invariant 42). Only a bad base URL throws, at once.
 */
export function openUpdates(settings: UpdateStreamSettings): UpdateStream {
  const { token, onChange, onLost, signal, timers = realTimers, jitter = Math.random } = settings;
  const wire = connection(settings.baseUrl);
  let isClosed = false;
  let failures = 0;
  let endCurrent = () => {};
  let cancelWait = () => {};

  function follow(): void {
    endCurrent = followOnce({
      wire,
      timers,
      token,
      refused: (used) => settings.refused?.(used),
      onChange: () => quietly(onChange),
      onSteady: () => {
        failures = 0;
      },
      onLost(reason) {
        if (isClosed) return;
        failures += 1;
        cancelWait = timers.after(backoffMs(failures, jitter()), follow);
        quietly(() => onLost?.(reason));
      },
    });
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    signal?.removeEventListener("abort", close);
    cancelWait();
    endCurrent();
    wire.close();
  }

  signal?.addEventListener("abort", close);
  if (signal?.aborted) close();
  else follow();
  return { close };
}

/** What the owner does with a hint is its own affair: it must not end the stream. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The owner's next periodic look covers what this one missed.
  }
}
