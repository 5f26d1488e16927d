/** Waits a random while of at most `mostMs`, so that those who met once do not meet again at the same moment. */
export function pause(mostMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.random() * mostMs));
}
