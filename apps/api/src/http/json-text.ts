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
const SLICE_BYTES = 65_536;
const LIST_DEPTH = 2;
/** Objects in the lists of rows. */
const NESTED_DEPTH = 5;

/**
 * Parses valid UTF-8 with at most 32 levels and 10,000 keys per object. JSON.parse accepts any depth, but recursive code
 * would then overflow the stack. An object of a million keys would take seconds. Throws a `SyntaxError` for other bytes,
 * and 413 for more rows, nested objects or values than any call takes, before it builds them.
 */
export function parseJson(bytes: Buffer): unknown {
  const list = isUtf8(bytes) ? findList(bytes) : undefined;
  if (list === undefined) throw new SyntaxError('The body is not readable JSON');
  return (list.cuts.length > 0 ? parseInSlices(bytes, list) : undefined) ?? parseText(bytes);
}

function parseText(bytes: Buffer): unknown {
  return JSON.parse(TEXT_DECODER.decode(bytes));
}

/** The decoder drops a byte order mark. */
const TEXT_DECODER = new TextDecoder();

/** The only list of a body such as `{"rows": […]}`, with the commas at which it can be cut into slices. */
interface List {
  readonly start: number;
  readonly end: number;
  readonly cuts: readonly number[];
}

/**
 * Parses a long list in slices. Its whole text would fill the memory until the next full garbage collection. Returns
 * `undefined` if the list is not the value of one key.
 */
function parseInSlices(bytes: Buffer, { start, end, cuts }: List): unknown {
  const bodyWithoutRows = parseText(Buffer.concat([bytes.subarray(0, start + 1), bytes.subarray(end)])) as object;
  const emptyLists = Object.values(bodyWithoutRows).filter(isEmptyList);
  const [rows] = emptyLists;
  if (rows === undefined || emptyLists.length > 1) return undefined;
  let sliceStart = start + 1;
  for (const sliceEnd of [...cuts, end]) {
    const slice = JSON.parse(`[${bytes.toString('utf8', sliceStart, sliceEnd)}]`) as unknown[];
    // A comma with nothing before or after it leaves an empty slice.
    if (slice.length === 0) throw new SyntaxError('A row is missing');
    for (const row of slice) rows.push(row);
    sliceStart = sliceEnd + 1;
  }
  return bodyWithoutRows;
}

function isEmptyList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length === 0;
}

/**
 * Returns `undefined` above a limit. `cuts` is empty if the body needs no slices. Counts brackets without comparing their
 * types, because the parser does.
 */
function findList(bytes: Buffer): List | undefined {
  const keyCounts: number[] = [0];
  let depth = 0;
  let [start, end, latestCut, listCount, isObject] = [-1, -1, 0, 0, false];
  const entries = new EntryCounter();
  const cuts: number[] = [];
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) index = findStringEnd(bytes, index);
    else if (OPENING.has(byte)) {
      depth += 1;
      if (depth > MAX_DEPTH) return undefined;
      entries.open(depth, byte === OPENING_BRACKET);
      keyCounts[depth] = 0;
      if (depth === 1) isObject = byte === OPENING_BRACE;
      else if (depth === LIST_DEPTH && byte === OPENING_BRACKET) {
        listCount += 1;
        if (listCount === 1) [start, latestCut] = [index, index];
      }
    } else if (CLOSING.has(byte)) {
      if (depth === LIST_DEPTH && listCount === 1 && end < 0) end = index;
      depth = Math.max(0, depth - 1);
    } else if (byte === COLON) {
      const keyCount = (keyCounts[depth] ?? 0) + 1;
      if (keyCount > MAX_KEYS_PER_OBJECT) return undefined;
      keyCounts[depth] = keyCount;
    } else if (byte === COMMA) {
      entries.next(depth);
      if (depth === LIST_DEPTH && end < 0 && index - latestCut >= SLICE_BYTES && listCount === 1) {
        cuts.push(index);
        latestCut = index;
      }
    }
  }
  return { start, end, cuts: isObject && listCount === 1 && end > 0 ? cuts : [] };
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
