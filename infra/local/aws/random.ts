/** A small seeded generator (mulberry32): the same seed gives the same world. Numbers are in 0..1. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Hex digits drawn from a generator, for identifiers that look like AWS's and are the same in every run. */
export function hex(random: () => number, digits: number): string {
  let text = "";
  while (text.length < digits) text += Math.floor(random() * 16).toString(16);
  return text;
}

/** An identifier in the form of a UUID, as activities, tokens and versions have. */
export function uuid(random: () => number): string {
  return [8, 4, 4, 4, 12].map((digits) => hex(random, digits)).join("-");
}
