/** AWS did not answer in the time that the sender waits. What was begun may still have its effect. */
export class OutOfTime extends Error {
  override readonly name = "OutOfTime";
}

/**
 * The sender would hang up anyway; an answer lets it retry. Throws {@link OutOfTime} after `ms`. The work goes on, so
 * whatever it may still do late must be guarded by itself, by a lease for one (design: rule 3).
 */
export async function withinTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new OutOfTime("AWS took too long to answer.")), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
