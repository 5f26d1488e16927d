const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether the text is a canonical lower-case UUIDv7, as every group, pool, host and operation key is (contract). */
export function isUuidV7(text: string): boolean {
  return canonical.test(text);
}

/** A UUIDv7 of this instant, from a random source in 0..1: the same source gives the same ids. */
export function uuidV7(nowMs: number, random: () => number): string {
  const time = Math.floor(nowMs).toString(16).padStart(12, "0");
  const variant = (8 + Math.floor(random() * 4)).toString(16);
  const tail = `7${hex(random, 3)}-${variant}${hex(random, 3)}-${hex(random, 12)}`;
  return `${time.slice(0, 8)}-${time.slice(8)}-${tail}`;
}

function hex(random: () => number, digits: number): string {
  let text = "";
  while (text.length < digits) text += Math.floor(random() * 16).toString(16);
  return text;
}
