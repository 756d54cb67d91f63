/** Returns the checksum of a PNG chunk (ISO 3309, reflected). */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of bytes) crc = (crc >>> 8) ^ (REFLECTED_TABLE[(crc ^ byte) & 0xff] ?? 0);
  return ~crc >>> 0;
}

/**
 * Returns the checksum of an Ogg page. This checksum has the same polynomial as that of a PNG chunk, but is neither
 * reflected nor inverted. The checksum's own bytes count as zeros.
 */
export function oggCrc(page: Uint8Array): number {
  let crc = 0;
  for (const [at, byte] of page.entries()) {
    const maskedByte = at >= 22 && at < 26 ? 0 : byte;
    crc = (crc << 8) ^ (PLAIN_TABLE[((crc >>> 24) ^ maskedByte) & 0xff] ?? 0);
  }
  return crc >>> 0;
}

const REFLECTED_TABLE = Array.from({ length: 256 }, (_, byte) =>
  eightTimes(byte, (crc) => (crc & 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1)),
);

const PLAIN_TABLE = Array.from({ length: 256 }, (_, byte) =>
  eightTimes(byte << 24, (crc) => (crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1)),
);

function eightTimes(start: number, step: (crc: number) => number): number {
  let crc = start;
  for (let round = 0; round < 8; round += 1) crc = step(crc);
  return crc;
}
