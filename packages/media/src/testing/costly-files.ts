import { concat } from '../formats/octets.js';
import { box, bytes, fullBox, riffChunk, tiff, u16be, u32be } from './file-parts.js';

const MEGABYTE = 2 ** 20;
const MAX_RIFF = [0xff, 0xff, 0xff, 0x7f];

export interface CostlyFile {
  readonly mime: string;
  readonly description: string;
  readonly make: () => Uint8Array;
}

const repeat = (part: Uint8Array, size: number): Uint8Array => {
  const result = new Uint8Array(Math.floor(size / part.length) * part.length);
  result.set(part);
  for (let length = part.length; length < result.length; length *= 2) result.copyWithin(length, 0, length);
  return result;
};
const fill = (start: Uint8Array, part: Uint8Array): Uint8Array => concat([start, repeat(part, 31 * MEGABYTE)]);

const ftyp = box('ftyp', 'avif', u32be(0), 'avif', 'mif1');
const infe = fullBox('infe', 2, u16be(1), [0, 0], 'Exif', 0);
const iinf = fullBox('iinf', 0, u16be(1), infe);
const ihdr = bytes(u32be(13), 'IHDR', u32be(9), u32be(9), [8, 2, 0, 0, 0], u32be(0));
const png = bytes([0x89], 'PNG\r\n', [0x1a], '\n', ihdr);
const frame = bytes([0xff, 0xd8, 0xff, 0xc0], u16be(11), [8, 0, 9, 0, 9, 1, 1, 0x11, 0]);
const lossless = bytes('VP8L', [8, 0, 0, 0, 0x2f], Array(7).fill(0));

const waveFormat = riffChunk('fmt ', [1, 0, 1, 0, 0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0]);

/** Each item declares 65,535 empty extents. */
const makeEmptyExtents = (): Uint8Array => {
  const items = repeat(bytes(u16be(1), u16be(1), u16be(0xffff)), 36_000);
  return concat([ftyp, fullBox('meta', 0, fullBox('iloc', 0, [0, 0], u16be(6_000), items), iinf)]);
};

const makeItemLists = (): Uint8Array => {
  const items = repeat(bytes(u16be(1), u16be(0), u16be(1), u32be(0), u32be(5_000)), 5_000);
  const iloc = fullBox('iloc', 0, [0x44, 0], u16be(items.length / 14), items);
  return concat([ftyp, repeat(fullBox('meta', 0, iloc, iinf), 16 * MEGABYTE)]);
};

/** Millions of strips refer to the same byte. */
const makeTiffStrips = (): Uint8Array => {
  const strips = 2_000_000;
  const sizes = [[256, 257].map((tag) => [tag, 3, [9]] as const), [[259, 3, [7]] as const]].flat();
  const head = tiff('MM', [[...sizes, [273, 4, [0]], [279, 4, [0]]]]);
  for (const at of [3, 4]) head.set([...u32be(strips), ...u32be(head.length)], 10 + 12 * at + 4);
  return concat([head, repeat(bytes(u32be(1)), 4 * strips)]);
};

/** Files that consist of millions of parts, or that require much more work than their size suggests. */
export const COSTLY_FILES: readonly CostlyFile[] = [
  { mime: 'image/avif', description: 'extents without bytes', make: makeEmptyExtents },
  { mime: 'image/avif', description: 'thousands of item lists', make: makeItemLists },
  { mime: 'image/tiff', description: 'millions of strips', make: makeTiffStrips },
  { mime: 'image/png', description: 'empty chunks', make: () => fill(png, bytes(u32be(0), 'IDAT', u32be(0))) },
  {
    mime: 'image/webp',
    description: 'empty chunks',
    make: () => fill(bytes('RIFF', MAX_RIFF, 'WEBP', lossless), bytes('ALPH', u32be(0))),
  },
  {
    mime: 'audio/wav',
    description: 'empty chunks',
    make: () => fill(bytes('RIFF', MAX_RIFF, 'WAVE', waveFormat), bytes('cue ', u32be(0))),
  },
  { mime: 'image/jpeg', description: 'empty segments', make: () => fill(frame, bytes([0xff, 0xfe, 0, 2])) },
  { mime: 'video/mp4', description: 'empty boxes', make: () => fill(box('ftyp', 'isom', u32be(0)), box('free')) },
  {
    mime: 'image/gif',
    description: 'empty extensions',
    make: () => fill(bytes('GIF89a', [9, 0, 9, 0, 0, 0, 0]), bytes([0x21, 0xfe, 0])),
  },
];
