import type { ByteRange, MediaStore, StoredBytes, StoredObject } from '../index.js';

interface InMemoryObject {
  readonly bytes: Uint8Array;
  readonly writtenAt: Date;
}

export class InMemoryMediaStore implements MediaStore {
  private readonly objects = new Map<string, InMemoryObject>();

  async put(key: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    const content = concatChunks(chunks);
    this.objects.set(key, { bytes: content, writtenAt: new Date() });
    return content.length;
  }

  async read(key: string, range?: ByteRange): Promise<StoredBytes | undefined> {
    const storedObject = this.objects.get(key);
    if (storedObject === undefined) return undefined;
    const { bytes } = storedObject;
    return { size: bytes.length, bytes: yieldChunk(range ? bytes.subarray(range.first, range.last + 1) : bytes) };
  }

  async copy(from: string, to: string): Promise<boolean> {
    const storedObject = this.objects.get(from);
    if (storedObject) this.objects.set(to, { ...storedObject, writtenAt: new Date() });
    return storedObject !== undefined;
  }

  async remove(key: string): Promise<void> {
    this.objects.delete(key);
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    for (const [key, { bytes, writtenAt }] of this.objects)
      if (key.startsWith(prefix)) yield { key, size: bytes.length, writtenAt };
  }

  async ping(): Promise<void> {}
}

async function* yieldChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

function concatChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    result.set(chunk, at);
    at += chunk.length;
  }
  return result;
}
