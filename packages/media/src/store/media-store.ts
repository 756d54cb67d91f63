/** An inclusive range: `{first: 0, last: 0}` is the first byte. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface StoredBytes {
  /** Size of the whole object in bytes, even if only a range is read. */
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface StoredObject {
  readonly key: string;
  readonly size: number;
  readonly writtenAt: Date;
}

/** Storage of file content. Keys are paths of segments `[a-z0-9_][a-z0-9._@-]*`. */
export interface MediaStore {
  /**
   * Stores an object atomically: readers get either the whole old object or the whole new one. Returns its size in
   * bytes. If the source fails or the store is full, throws and keeps the old object.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>, mime: string): Promise<number>;
  /**
   * Returns `undefined` for a missing object. Truncates a range at the end of the object. Callers must start reading,
   * and may stop at any time; until they stop, the store may hold a file or a connection.
   */
  read(key: string, range?: ByteRange): Promise<StoredBytes | undefined>;
  /** Copies within the store. Readers get the whole old or the whole new object. Returns false for a missing source. */
  copy(from: string, to: string): Promise<boolean>;
  /** Has no effect on a missing object. */
  remove(key: string): Promise<void>;
  /** Yields the objects whose keys start with the prefix, in any order. May miss concurrent changes. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Throws unless the store answers and is writable. */
  ping(): Promise<void>;
}
