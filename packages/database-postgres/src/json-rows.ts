const SLICE_ROWS = 100;
/** Later rows are often a little longer, because their numbers are. */
const LATER_ROW_RATIO = 1.03;
const MAX_SPARE_BYTES = 8 * 2 ** 20;

/**
 * A JSON array of rows as the value of a parameter of the type `json`, not `jsonb`, for `json_to_recordset`. Null fields
 * are omitted. The rows are made when their statement is sent, 100 at a time: all rows and their text would fill the
 * memory until the next full garbage collection.
 */
export class JsonRows<Item> {
  constructor(
    private readonly items: readonly Item[],
    private readonly rowOf: (item: Item, index: number) => object,
  ) {}

  get length(): number {
    return this.items.length;
  }

  /** `pg` sends bytes without converting them. */
  toPostgres(): string | Buffer {
    const { items } = this;
    if (items.length <= SLICE_ROWS) return this.sliceText(0);
    let bytes = Buffer.alloc(0);
    let length = 0;
    for (let start = 0; start < items.length; start += SLICE_ROWS) {
      const text = this.sliceText(start);
      const minLength = length + Buffer.byteLength(text);
      const share = Math.min(1, (start + SLICE_ROWS) / items.length);
      if (minLength > bytes.length) bytes = enlargeBytes(bytes, minLength, (minLength / share) * LATER_ROW_RATIO);
      length += bytes.write(text, length);
    }
    return moveBytes(bytes).subarray(0, length);
  }

  private sliceText(start: number): string {
    const end = start + SLICE_ROWS;
    const rows = this.items.slice(start, end).map((item, index) => withoutNulls(this.rowOf(item, start + index)));
    const text = JSON.stringify(rows);
    return `${start === 0 ? '[' : ','}${text.slice(1, -1)}${end >= this.items.length ? ']' : ''}`;
  }
}

/** Sets null fields to undefined, which `JSON.stringify` omits. */
function withoutNulls(row: object): object {
  const fields = row as Record<string, unknown>;
  for (const name in fields) if (fields[name] === null) fields[name] = undefined;
  return row;
}

/** Sizes the new bytes for all rows, if these are as long as the rows so far. */
function enlargeBytes(bytes: Buffer, minLength: number, expectedLength: number): Buffer<ArrayBuffer> {
  const larger = Buffer.allocUnsafeSlow(Math.ceil(Math.min(expectedLength, minLength + MAX_SPARE_BYTES)));
  bytes.copy(larger);
  return larger;
}

/** The next small garbage collection frees a new object, but only a full one frees an object that is already old. */
function moveBytes({ buffer }: Buffer<ArrayBuffer>): Buffer {
  return Buffer.from(structuredClone(buffer, { transfer: [buffer] }));
}
