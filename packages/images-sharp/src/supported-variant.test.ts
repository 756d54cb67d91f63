import { parts } from '@back-office/media/testing';
import { SharpImageProcessor } from './sharp-image-processor.js';
import { sharpSampleImages } from './testing/index.js';

const { bytes, u16le, u32le } = parts;
const processor = new SharpImageProcessor({ pixelLimit: 1_000 });
afterAll(() => processor.close());

const SIDE = 4;
const ORANGE = [200, 120, 40] as const;

async function processed(mime: string, content: Uint8Array, animated = false) {
  const facts = { mime, width: SIDE, height: SIDE, animated, cmyk: false };
  const [result] = await processor.process(content, facts, [{ width: SIDE, format: 'webp', quality: 100 }]);
  return sharpSampleImages.decode(result!.bytes);
}

interface TiffVariant {
  readonly bits: number;
  readonly format?: number;
  readonly photometric?: number;
  readonly compression?: number;
  readonly sample: (value: number) => readonly number[];
}

function orangeTiff({ bits, format = 1, photometric = 2, compression = 1, sample }: TiffVariant): Uint8Array {
  const strip = bytes(...Array.from({ length: SIDE * SIDE }, () => ORANGE.flatMap(sample)));
  const entries = [
    [256, SIDE],
    [257, SIDE],
    [258, bits],
    [259, compression],
    [262, photometric],
    [273, 200],
    [277, 3],
    [278, SIDE],
    [279, strip.length],
    [339, format],
  ];
  // Tags 258 and 339 have one value for each of the three samples, which lie behind the directory.
  const entry = ([tag = 0, value = 0]: readonly number[]) =>
    tag === 258 || tag === 339
      ? bytes(u16le(tag), u16le(3), u32le(3), u32le(tag === 258 ? 150 : 160))
      : bytes(u16le(tag), u16le(4), u32le(1), u32le(value));
  const directory = bytes('II*', 0, u32le(8), u16le(entries.length), ...entries.map(entry), u32le(0));
  const threeTimes = (value: number) => [value, value, value].flatMap(u16le);
  const file = new Uint8Array(200 + strip.length);
  file.set(directory);
  file.set(threeTimes(bits), 150);
  file.set(threeTimes(format), 160);
  file.set(strip, 200);
  return file;
}

const float32 = (value: number) => [...new Uint8Array(Float32Array.of(value / 255).buffer)];

describe('a TIFF image', () => {
  it.each<[string, TiffVariant]>([
    ['8 bits', { bits: 8, sample: (value) => [value] }],
    ['16 bits', { bits: 16, sample: (value) => [value, value] }],
  ])('is converted with the right colours: %s', async (_, variant) => {
    const pixel = await (await processed('image/tiff', orangeTiff(variant))).pixelAt(0.5, 0.5);
    expect(Math.max(...ORANGE.map((value, index) => Math.abs(value - pixel[index]!)))).toBeLessThan(4);
  });

  it.each<[string, TiffVariant]>([
    ['floating point numbers', { bits: 32, format: 3, sample: float32 }],
    ['32 bits', { bits: 32, sample: (value) => [value, value, value, value] }],
    ['signed numbers', { bits: 8, format: 2, sample: (value) => [value >> 1] }],
    ['YCbCr without compression', { bits: 8, photometric: 6, sample: (value) => [value] }],
    ['CIELAB', { bits: 8, photometric: 8, sample: (value) => [value] }],
    ['a compression that libvips cannot read', { bits: 8, compression: 50_000, sample: (value) => [value] }],
  ])('is not converted: %s', async (_, variant) => {
    await expect(processed('image/tiff', orangeTiff(variant))).rejects.toMatchObject({ name: 'UnsupportedImage' });
  });
});

interface Frame {
  /** Left, top, width, height. */
  readonly area?: readonly [number, number, number, number];
  readonly disposal?: number;
  readonly isTransparent?: boolean;
  readonly colour?: number;
}

const COLOURS = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
].flat();

function gif(frames: readonly Frame[]): Uint8Array {
  const head = bytes('GIF89a', u16le(SIDE), u16le(SIDE), [0x91, 1, 0], COLOURS);
  return bytes(head, ...frames.map(gifFrame), 0x3b);
}

function gifFrame({ area = [0, 0, SIDE, SIDE], disposal = 1, isTransparent = false, colour = 0 }: Frame): Uint8Array {
  const [left, top, width, height] = area;
  const control = bytes([0x21, 0xf9, 4, (disposal << 2) | Number(isTransparent), 10, 0, 3, 0]);
  const descriptor = bytes(0x2c, u16le(left), u16le(top), u16le(width), u16le(height), 0);
  return bytes(control, descriptor, 2, pixelsOf(width * height, colour), 0);
}

/** LZW codes of three bits: a clear code before every second pixel keeps them from growing. */
function pixelsOf(count: number, colour: number): Uint8Array {
  const codes = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? [4, colour] : [colour])).flat();
  const bits = [...codes, 5].map((code) => [code & 1, (code >> 1) & 1, code >> 2]).flat();
  const packed = new Uint8Array(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries()) packed[index >> 3]! |= bit! << (index % 8);
  return bytes(packed.length, packed);
}

describe('a GIF image', () => {
  const part = [1, 1, 2, 2] as const;

  it('keeps the uncovered part of its canvas transparent', async () => {
    const image = await processed('image/gif', gif([{ area: part, isTransparent: true }]));
    expect([await image.pixelAt(0, 0), await image.pixelAt(0.5, 0.5)]).toEqual([
      [expect.any(Number), expect.any(Number), expect.any(Number), 0],
      [expect.any(Number), expect.any(Number), expect.any(Number), 255],
    ]);
  });

  it('is converted with frames that cover a part', async () => {
    expect((await processed('image/gif', gif([{}, { area: part, colour: 2 }]), true)).pages).toBe(2);
  });

  it.each<[string, readonly Frame[]]>([
    ['the first frame leaves a part of the canvas uncovered', [{ area: part }, {}]],
    ['a frame exceeds the canvas', [{}, { area: [1, 1, SIDE, SIDE] }]],
    ['a frame without transparency clears its area', [{}, { area: part, disposal: 2 }, { area: part }]],
  ])('is not converted: %s', async (_, frames) => {
    await expect(processed('image/gif', gif(frames), true)).rejects.toMatchObject({ name: 'UnsupportedImage' });
  });
});
