import { failureOf } from "../cli/failure.ts";

/** Something that was looked up, or why it could not be. What is unread is said and never taken for healthy. */
export type Known<T> = { readonly value: T; readonly unread?: undefined } | { readonly unread: string };

/** Awaits a look. An error becomes its name and sentence. */
export async function known<T>(look: () => Promise<T>): Promise<Known<T>> {
  try {
    return { value: await look() };
  } catch (error) {
    const { code, message } = failureOf(error);
    return { unread: code === "Error" ? message : `${code}: ${message}` };
  }
}

/** The value, or the fallback where it is unread. */
export const valueOr = <T, F>(of: Known<T> | undefined, fallback: F): T | F =>
  of === undefined || of.unread !== undefined ? fallback : of.value;
