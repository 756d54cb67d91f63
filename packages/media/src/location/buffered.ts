import { stripBytes, type Stripper } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

export const MAX_BUFFERED_BYTES = 32 * 2 ** 20;

/**
 * Buffers a file and blanks parts of it in place, because metadata may come before the directory that points to it.
 * Peak memory is twice the size of the file. Throws {@link UnreadableFile} above {@link MAX_BUFFERED_BYTES}.
 */
export async function* blankBuffered(
  bytes: AsyncIterable<Uint8Array>,
  blank: (file: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > MAX_BUFFERED_BYTES) throw new UnreadableFile('Too large to be buffered');
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

export function stripInPlace(bytes: Uint8Array, strip: Stripper): void {
  const stripped = stripBytes(bytes, strip).subarray(0, bytes.length);
  bytes.fill(0);
  bytes.set(stripped);
}
