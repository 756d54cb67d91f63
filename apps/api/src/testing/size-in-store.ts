import type { MediaStore } from '@back-office/media';

/** Size in bytes; `undefined` when the key does not exist. */
export async function sizeInStore(store: MediaStore, key: string): Promise<number | undefined> {
  const content = await store.read(key);
  if (content === undefined) return undefined;
  let size = 0;
  for await (const chunk of content.bytes) size += chunk.length;
  return size;
}
