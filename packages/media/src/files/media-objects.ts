export interface PublicObject {
  readonly content: string;
  readonly mime: string;
  readonly size: number;
  /** Version of the file. Only a URL with this version refers to these bytes. */
  readonly version: number;
  /** True when the bytes of this version never change again. */
  readonly isImmutable: boolean;
}

export interface MediaObjectQueries {
  /** Returns the id of the app with this key prefix. A prefix never moves to another app. */
  findApp(prefix: string): Promise<number | undefined>;
  /** Returns `undefined` for an unknown key, and for a file in Trash if the app does not serve its Trash. */
  findObject(appId: number, key: string): Promise<PublicObject | undefined>;
  /** Returns the next batch of an app's public keys in order, after `lastKey`. Returns an empty batch at the end. */
  keysAfter(appId: number, lastKey: string): Promise<string[]>;
  /** Returns the given blobs that no record refers to and no upload in progress will use. */
  unreferencedBlobs(appId: number, blobs: readonly string[]): Promise<string[]>;
  /** Returns the given public keys that belong to no file. */
  unownedKeys(appId: number, keys: readonly string[]): Promise<string[]>;
}
