import { isUtf8 } from 'node:buffer';
import { randomInt } from 'node:crypto';
import { MAX_ROWS, tooManyEntries } from './row-check.js';

const MAX_DEPTH = 32;
const MAX_KEYS_PER_OBJECT = 10_000;
/** V8 describes each combination of keys, so a body of 500,000 different keys would take seconds. */
const MAX_DIFFERENT_KEYS = 10_000;
/** Two limits of {@link assertNestedLimit}, because products have variants and images. */
const MAX_NESTED_OBJECTS = 60_000;
const MAX_VALUES = 500_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const HASH_BITS = 17;
const HASH_SEED = randomInt(2 ** 32);
const HASH_FACTOR = randomInt(2 ** 31) * 2 + 1;
const LIST_DEPTH = 2;
/** Objects in the lists of rows. */
const NESTED_DEPTH = 5;

/** The decoder drops a byte order mark. */
const TEXT_DECODER = new TextDecoder();

/**
 * Parses valid UTF-8 with at most 32 levels, 10,000 keys in an object and 10,000 different keys. Deeper text would
 * overflow the stack of recursive code. Throws a `SyntaxError` for other bytes, and 413 for more rows, nested objects or
 * values than any call takes, before it builds them.
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes) || !isWithinLimits(bytes)) throw new SyntaxError('The body is not readable JSON');
  return JSON.parse(TEXT_DECODER.decode(bytes));
}

/** Counts brackets without comparing their types, because the parser does. */
function isWithinLimits(bytes: Buffer): boolean {
  const keys = new KeyCounter(bytes);
  const entries = new EntryCounter();
  const keyCounts: number[] = [0];
  let depth = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    switch (bytes[index] as number) {
      case QUOTE:
        index = keys.readText(index);
        break;
      case COLON:
        keyCounts[depth] = (keyCounts[depth] ?? 0) + 1;
        if ((keyCounts[depth] as number) > MAX_KEYS_PER_OBJECT || !keys.count()) return false;
        break;
      case COMMA:
        entries.next(depth);
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        depth += 1;
        if (depth > MAX_DEPTH) return false;
        keyCounts[depth] = 0;
        entries.open(depth, bytes[index] === OPENING_BRACKET);
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth = Math.max(0, depth - 1);
        break;
    }
  }
  return true;
}

/** Counts different keys by a hash that a caller cannot predict. A few keys have the same hash as others. */
class KeyCounter {
  private readonly seen = new Uint8Array(2 ** (HASH_BITS - 3));
  private keyCount = 0;
  private start = 0;
  private end = 0;

  constructor(private readonly bytes: Buffer) {}

  /** Returns the index of the closing quote, or the end of the bytes. */
  readText(start: number): number {
    const { bytes } = this;
    let end = start + 1;
    while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
    [this.start, this.end] = [start + 1, end];
    return end;
  }

  /** Counts the latest text as a key. Returns false above the limit. */
  count(): boolean {
    let hash = HASH_SEED;
    for (let index = this.start; index < this.end; index += 1)
      hash = Math.imul(hash ^ (this.bytes[index] as number), HASH_FACTOR);
    const place = hash >>> (32 - HASH_BITS);
    const seenBits = this.seen[place >>> 3] as number;
    const bit = 1 << (place & 7);
    if ((seenBits & bit) === 0) this.keyCount += 1;
    this.seen[place >>> 3] = seenBits | bit;
    return this.keyCount <= MAX_DIFFERENT_KEYS;
  }
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
