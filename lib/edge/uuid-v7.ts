/**
 * A canonical UUIDv7 (RFC 9562): 48 bits of milliseconds since the epoch, then version, variant and 74 random bits, which
 * are taken from `random`, ten bytes or more.
 */
export function uuidV7(nowMs: number, random: Uint8Array): string {
  if (random.length < 10) throw new RangeError("A UUIDv7 needs ten random bytes.");
  const time = Math.floor(nowMs).toString(16).padStart(12, "0");
  const [version = 0, second = 0, variant = 0, ...rest] = random.subarray(0, 10);
  const tail = [(version & 0x0f) | 0x70, second, (variant & 0x3f) | 0x80, ...rest];
  const hex = time + tail.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
