/** What was typed cannot be meant; the message says what to type instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
