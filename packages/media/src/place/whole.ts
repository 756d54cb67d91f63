import { cut, type Cutter } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

/** Types that name places in their files may have what is to be cut out before what says where it is. */
export const LARGEST_WHOLE = 32 * 2 ** 20;

/** Changes bytes in place. */
export type Blanker = (bytes: Uint8Array) => void;

/**
 * Reads a file to its end before any of it goes on: it is held once, and twice while its chunks are put together. A larger
 * one than {@link LARGEST_WHOLE} is {@link UnreadableFile}.
 */
export async function* whole(bytes: AsyncIterable<Uint8Array>, blank: Blanker): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > LARGEST_WHOLE) throw new UnreadableFile('Too large to be read as a whole');
    chunks.push(chunk);
  }
  const file = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks.splice(0)) {
    file.set(chunk, at);
    at += chunk.length;
  }
  blank(file);
  yield file;
}

/** Writes what a cutter leaves of a file within a file over it, and zeros to its end. */
export function cutInPlace(bytes: Uint8Array, cutter: Cutter): void {
  const left = cut(bytes, cutter).subarray(0, bytes.length);
  bytes.fill(0);
  bytes.set(left);
}
