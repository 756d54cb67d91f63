import { collectBytes } from '../testing/index.js';
import { box, bytes, fullBox, u16be, u32be } from '../testing/file-parts.js';
import { stripLocation } from './strip-location.js';
import { UnreadableFile } from './unreadable-file.js';

const MAX_CPU_MS = 2_000;
const MAX_READ_BYTES = 4 * 2 ** 20;
const MEGABYTE = 2 ** 20;

const repeat = (part: Uint8Array, size: number): Uint8Array =>
  Buffer.alloc(Math.floor(size / part.length) * part.length, part);
const ftyp = box('ftyp', 'avif', u32be(0), 'avif', 'mif1');
const infe = fullBox('infe', 2, u16be(1), [0, 0], 'Exif', 0);
const iinf = fullBox('iinf', 0, u16be(1), infe);
const png = bytes([0x89], 'PNG\r\n', [0x1a], '\n');
const riff = (form: string): Uint8Array => bytes('RIFF', [0xff, 0xff, 0xff, 0x7f], form);

const fill = (start: Uint8Array, part: Uint8Array): Uint8Array => Buffer.concat([start, repeat(part, 31 * MEGABYTE)]);

/** Each item states 65,535 extents of no bytes. */
const emptyExtents = (): Uint8Array => {
  const items = repeat(bytes(u16be(1), u16be(1), u16be(0xffff)), 6_000);
  return Buffer.concat([ftyp, fullBox('meta', 0, fullBox('iloc', 0, [0, 0], u16be(6_000), items), iinf)]);
};

const itemLists = (): Uint8Array => {
  const items = repeat(bytes(u16be(1), u16be(0), u16be(1), u32be(0), u32be(5_000)), 5_000);
  const iloc = fullBox('iloc', 0, [0x44, 0], u16be(items.length / 14), items);
  return Buffer.concat([ftyp, repeat(fullBox('meta', 0, iloc, iinf), 16 * MEGABYTE)]);
};

async function* chunksOf(file: Uint8Array, onRead: (size: number) => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += 65_536) {
    const chunk = file.subarray(at, at + 65_536);
    onRead(chunk.length);
    yield chunk;
  }
}

describe('an AVIF that states more items than it has bytes for', () => {
  it.each([
    ['extents without bytes', emptyExtents],
    ['thousands of item lists', itemLists],
  ])('is refused before its items are read: %s', async (_, makeFile) => {
    const file = makeFile();
    const before = process.cpuUsage();
    await expect(
      collectBytes(
        stripLocation(
          'image/avif',
          chunksOf(file, () => {}),
        ),
      ),
    ).rejects.toThrow(UnreadableFile);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(MAX_CPU_MS);
  });
});

describe('a file of 31 MB in tiny parts', () => {
  it.each([
    ['image/png', 'empty chunks', () => fill(png, bytes(u32be(0), 'IDAT', u32be(0)))],
    ['image/webp', 'empty chunks', () => fill(riff('WEBP'), bytes('ALPH', u32be(0)))],
    ['audio/wav', 'empty chunks', () => fill(riff('WAVE'), bytes('cue ', u32be(0)))],
    ['image/jpeg', 'empty segments', () => fill(bytes([0xff, 0xd8]), bytes([0xff, 0xfe, 0, 2]))],
    ['video/mp4', 'empty boxes', () => fill(box('ftyp', 'isom'), box('free'))],
    ['image/gif', 'empty extensions', () => fill(bytes('GIF89a', Array(7).fill(0)), bytes([0x21, 0xfe, 0]))],
  ])('is refused within its first megabytes: %s with %s', async (mime, _, makeFile) => {
    let readBytes = 0;
    const chunks = chunksOf(makeFile(), (size) => (readBytes += size));
    await expect(collectBytes(stripLocation(mime, chunks))).rejects.toThrow(UnreadableFile);
    expect(readBytes).toBeLessThan(MAX_READ_BYTES);
  });
});
