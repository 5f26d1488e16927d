/**
 * Timeouts for an AWS SDK client, in milliseconds. The SDK has none by default, and `requestTimeout` alone only logs
 * (style: measured facts). `attempts` counts the first try too; 1 turns the SDK's own retries off.
 */
export function clientTimeouts(requestMs: number, attempts: number) {
  return {
    maxAttempts: attempts,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: requestMs, throwOnRequestTimeout: true },
  };
}
