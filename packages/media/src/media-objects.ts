/** Object behind a public key. */
export interface PublicObject {
  readonly content: string;
  readonly mime: string;
  readonly size: number;
  /** The file's version; a URL with another version does not mean these bytes. */
  readonly version: number;
  /** Whether the bytes are final for this version. */
  readonly isSettled: boolean;
}

/** Relates objects in the store to files. */
export interface MediaObjectQueries {
  /** Id of the app with this key prefix, if any. A prefix never changes its app. */
  appOf(prefix: string): Promise<number | undefined>;
  /** `undefined` for an unknown key. */
  ofKey(appId: number, key: string): Promise<PublicObject | undefined>;
  /** The next batch of an app's public keys in order, after `last`; empty at the end. */
  keysAfter(appId: number, last: string): Promise<string[]>;
  /** The blobs among these that no record refers to. Such a blob is never referred to again. */
  unreferenced(appId: number, blobs: readonly string[]): Promise<string[]>;
  /** The public keys among these that belong to no file. */
  unowned(appId: number, keys: readonly string[]): Promise<string[]>;
}
