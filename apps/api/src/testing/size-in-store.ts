import type { MediaStore } from '@back-office/media';

/** Bytes under the key, `undefined` when there is nothing. */
export async function sizeInStore(store: MediaStore, key: string): Promise<number | undefined> {
  const found = await store.read(key);
  if (found === undefined) return undefined;
  let size = 0;
  for await (const chunk of found.bytes) size += chunk.length;
  return size;
}
