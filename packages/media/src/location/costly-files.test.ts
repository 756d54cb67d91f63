import { collectBytes, COSTLY_FILES } from '../testing/index.js';
import { stripLocation } from './strip-location.js';
import { UnreadableFile } from './unreadable-file.js';

const MAX_CPU_MS = 2_000;
const MAX_READ_BYTES = 4 * 2 ** 20;
const BUFFERED_TYPES = new Set(['image/avif', 'image/tiff']);

const BUFFERED = COSTLY_FILES.filter(({ mime }) => BUFFERED_TYPES.has(mime));
const STREAMED = COSTLY_FILES.filter(({ mime }) => !BUFFERED_TYPES.has(mime));

async function* chunksOf(file: Uint8Array, onRead: (size: number) => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += 65_536) {
    const chunk = file.subarray(at, at + 65_536);
    onRead(chunk.length);
    yield chunk;
  }
}

describe('a buffered file that refers to more bytes than it has', () => {
  it.each(BUFFERED)('is refused within little CPU time: $mime with $description', async ({ mime, make }) => {
    const file = make();
    const before = process.cpuUsage();
    await expect(
      collectBytes(
        stripLocation(
          mime,
          chunksOf(file, () => {}),
        ),
      ),
    ).rejects.toThrow(UnreadableFile);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
  });
});

describe('a streamed file of 31 MB in tiny parts', () => {
  it.each(STREAMED)('is refused within its first megabytes: $mime with $description', async ({ mime, make }) => {
    let readBytes = 0;
    const chunks = chunksOf(make(), (size) => (readBytes += size));
    await expect(collectBytes(stripLocation(mime, chunks))).rejects.toThrow(UnreadableFile);
    expect(readBytes).toBeLessThan(MAX_READ_BYTES);
  });
});
