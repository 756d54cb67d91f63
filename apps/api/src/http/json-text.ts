import { isUtf8 } from 'node:buffer';

const MAX_DEPTH = 32;
const MAX_KEYS_PER_OBJECT = 10_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Returns true for valid UTF-8 with at most 32 levels and 10,000 keys per object. JSON.parse accepts any depth, but
 * recursive code would then overflow the stack. An object of a million keys would take seconds.
 */
export function isReadableJson(bytes: Buffer): boolean {
  return isUtf8(bytes) && isWithinLimits(bytes);
}

function isWithinLimits(bytes: Buffer): boolean {
  const keyCounts: number[] = [0];
  let depth = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) index = findStringEnd(bytes, index);
    else if (OPENING.has(byte)) {
      depth += 1;
      if (depth > MAX_DEPTH) return false;
      keyCounts[depth] = 0;
    } else if (CLOSING.has(byte)) depth = Math.max(0, depth - 1);
    else if (byte === COLON) {
      const keyCount = (keyCounts[depth] ?? 0) + 1;
      if (keyCount > MAX_KEYS_PER_OBJECT) return false;
      keyCounts[depth] = keyCount;
    }
  }
  return true;
}

function findStringEnd(bytes: Buffer, start: number): number {
  let end = bytes.indexOf(QUOTE, start + 1);
  while (end > 0 && isEscaped(bytes, end)) end = bytes.indexOf(QUOTE, end + 1);
  return end < 0 ? bytes.length : end;
}

function isEscaped(bytes: Buffer, index: number): boolean {
  let backslashes = 0;
  while (bytes[index - 1 - backslashes] === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
