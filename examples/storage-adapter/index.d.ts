import type { ByteRange, MediaStore, StoredBytes, StoredObject } from '@back-office/media';

export declare class FlatFolderStore implements MediaStore {
  constructor(folder: string);
  readonly folder: string;
  put(key: string, bytes: AsyncIterable<Uint8Array>, mime?: string): Promise<number>;
  read(key: string, range?: ByteRange): Promise<StoredBytes | undefined>;
  copy(from: string, to: string): Promise<boolean>;
  remove(key: string): Promise<void>;
  list(prefix: string): AsyncGenerator<StoredObject>;
  ping(): Promise<void>;
}

export declare function openMediaStore(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly store: FlatFolderStore }>;
