import { isUtf8 } from 'node:buffer';

const MAX_DEPTH = 32;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/**
 * Returns true for valid UTF-8 of at most 32 levels. JSON.parse accepts any depth, but the recursive code that reads
 * the result would overflow the stack.
 */
export function isReadableJson(bytes: Buffer): boolean {
  return isUtf8(bytes) && !isNestedDeeper(bytes, MAX_DEPTH);
}

function isNestedDeeper(bytes: Buffer, limit: number): boolean {
  let depth = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) index = findStringEnd(bytes, index);
    else if (OPENING.has(byte)) depth += 1;
    else if (CLOSING.has(byte)) depth -= 1;
    if (depth > limit) return true;
  }
  return false;
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
