import { isUtf8 } from 'node:buffer';
import { MAX_ROWS, tooManyEntries } from './row-check.js';

const MAX_DEPTH = 32;
const MAX_KEYS_PER_OBJECT = 10_000;
/** Two limits of {@link assertNestedLimit}, because products have variants and images. */
const MAX_NESTED_OBJECTS = 60_000;
const MAX_VALUES = 500_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const OPENING_BRACE = 0x7b;
const OPENING = new Set([OPENING_BRACKET, OPENING_BRACE]);
const CLOSING = new Set([0x5d, 0x7d]);
const LIST_DEPTH = 2;
/** Objects in the lists of rows. */
const NESTED_DEPTH = 5;

/** The decoder drops a byte order mark. */
const TEXT_DECODER = new TextDecoder();

/**
 * Parses valid UTF-8 with at most 32 levels and 10,000 keys per object. JSON.parse accepts any depth, but recursive code
 * would then overflow the stack. An object of a million keys would take seconds. Throws a `SyntaxError` for other bytes,
 * and 413 for more rows, nested objects or values than any call takes, before it builds them.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes) || !isWithinLimits(bytes)) throw new SyntaxError('The body is not readable JSON');
  return JSON.parse(TEXT_DECODER.decode(bytes));
}

/** Counts brackets without comparing their types, because the parser does. */
function isWithinLimits(bytes: Buffer): boolean {
  const keyCounts: number[] = [0];
  const entries = new EntryCounter();
  let depth = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) index = findStringEnd(bytes, index);
    else if (OPENING.has(byte)) {
      depth += 1;
      if (depth > MAX_DEPTH) return false;
      entries.open(depth, byte === OPENING_BRACKET);
      keyCounts[depth] = 0;
    } else if (CLOSING.has(byte)) {
      depth = Math.max(0, depth - 1);
    } else if (byte === COLON) {
      const keyCount = (keyCounts[depth] ?? 0) + 1;
      if (keyCount > MAX_KEYS_PER_OBJECT) return false;
      keyCounts[depth] = keyCount;
    } else if (byte === COMMA) entries.next(depth);
  }
  return true;
}

/** Throws 413 above a limit. */
class EntryCounter {
  private valueCount = 0;
  private nestedCount = 0;
  private rowCount = 0;
  private isInRows = false;

  open(depth: number, isList: boolean): void {
    this.countValue();
    if (depth === LIST_DEPTH) [this.isInRows, this.rowCount] = [isList, 1];
    if (depth < NESTED_DEPTH || isList) return;
    this.nestedCount += 1;
    if (this.nestedCount > MAX_NESTED_OBJECTS) throw tooManyEntries(MAX_NESTED_OBJECTS);
  }

  /** Called for each comma. */
  next(depth: number): void {
    this.countValue();
    if (depth !== LIST_DEPTH || !this.isInRows) return;
    this.rowCount += 1;
    if (this.rowCount > MAX_ROWS) throw tooManyEntries(MAX_ROWS);
  }

  private countValue(): void {
    this.valueCount += 1;
    if (this.valueCount > MAX_VALUES) throw tooManyEntries(MAX_VALUES);
  }
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
