/** A stretch of bytes, both ends counted: `{first: 0, last: 0}` is the first byte. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface StoredBytes {
  /** Of the whole object, also when only a stretch of it is read. */
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface StoredObject {
  readonly key: string;
  readonly size: number;
  readonly writtenAt: Date;
}

/** Where the bytes of files are kept. Keys are paths of segments `[a-z0-9][a-z0-9._@-]*`, made by the domain. */
export interface MediaStore {
  /**
   * Keeps the bytes under the key, all of them or nothing: a reader sees what was there before, or all of the new.
   * When the source fails, or the store is full, what was there stays and the failure is thrown. Answers the size.
   */
  put(key: string, bytes: AsyncIterable<Uint8Array>, mime: string): Promise<number>;
  /** `undefined` when there is nothing under the key. A range beyond the end is cut to what there is. */
  read(key: string, range?: ByteRange): Promise<StoredBytes | undefined>;
  /** Copies within the store, in one step for readers; false when there is nothing to copy. */
  copy(from: string, to: string): Promise<boolean>;
  /** Takes away what is there; nothing there is no failure. */
  remove(key: string): Promise<void>;
  /** All objects whose key begins so, in no order; those that come and go meanwhile may be missed. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Throws unless the store answers and can be written. */
  ping(): Promise<void>;
}
