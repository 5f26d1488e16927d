/** The Control Plane's calls that change nothing; `plan` is not one of them, since it publishes evidence. */
export const helmrReads: ReadonlySet<string> = new Set([
  "resolveGroup",
  "resolvePool",
  "hosts",
  "host",
  "deployment",
  "pendingScaleIn",
  "scaleInReceipt",
]);
