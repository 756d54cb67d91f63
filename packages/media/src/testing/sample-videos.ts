import { concat } from '../formats/octets.js';
import { box, bytes, element, fullBox, u16be, u32be, type Part } from './file-parts.js';

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);
const FIXED_POINT_ONE = 0x1_0000;
/** The entries a, b, c and d of the MP4 matrix, by clockwise rotation in degrees. */
const ROTATIONS: Readonly<Record<number, readonly number[]>> = {
  0: [FIXED_POINT_ONE, 0, 0, FIXED_POINT_ONE],
  90: [0, FIXED_POINT_ONE, -FIXED_POINT_ONE, 0],
  180: [-FIXED_POINT_ONE, 0, 0, -FIXED_POINT_ONE],
  270: [0, -FIXED_POINT_ONE, FIXED_POINT_ONE, 0],
};

export interface VideoSample {
  readonly width: number;
  readonly height: number;
  readonly rotation?: number;
  readonly pixel?: readonly [number, number];
  /** Size of the samples before the header, in bytes. */
  readonly mdatSize?: number;
  readonly titleSize?: number;
}

const handler = (type: string): Uint8Array => fullBox('hdlr', 0, zeros(4), type, zeros(12), 0);

function trackOf(type: 'vide' | 'soun', head: Part, sample: Uint8Array): Uint8Array {
  const media = fullBox('mdhd', 0, zeros(8), u32be(1_000), u32be(1_000), u16be(0x55c4), zeros(2));
  const mediaHeader = type === 'vide' ? fullBox('vmhd', 0, zeros(8)) : fullBox('smhd', 0, zeros(4));
  const stbl = box(
    'stbl',
    fullBox('stsd', 0, u32be(1), sample),
    fullBox('stts', 0, u32be(1), u32be(1), u32be(1_000)),
    fullBox('stsc', 0, u32be(1), u32be(1), u32be(1), u32be(1)),
    fullBox('stsz', 0, u32be(8), u32be(1)),
    fullBox('stco', 0, u32be(1), u32be(40)),
  );
  const dinf = box('dinf', fullBox('dref', 0, u32be(1), box('url ', 0, 0, 0, 1)));
  return box('trak', box('tkhd', head), box('mdia', media, handler(type), box('minf', mediaHeader, dinf, stbl)));
}

const trackHead = (width: number, height: number, rotation: readonly number[]): Uint8Array => {
  const [a = 0, b = 0, c = 0, d = 0] = rotation;
  const matrix = [a, b, 0, c, d, 0, 0, 0, 0x4000_0000].map(u32be);
  const size = [u32be(width * FIXED_POINT_ONE), u32be(height * FIXED_POINT_ONE)];
  return bytes([0, 0, 0, 7], zeros(8), u32be(1), zeros(4), u32be(1_000), zeros(16), ...matrix, ...size);
};

/** Like {@link box}, but for large content: copies the bytes instead of spreading them. */
function largeBox(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = concat(parts);
  return concat([bytes(u32be(content.length + 8), type), content]);
}

interface Mp4Parts {
  readonly brand: string;
  readonly track: Uint8Array;
  readonly mdatSize?: number;
  readonly titleSize?: number;
}

function mp4({ brand, track, mdatSize = 64, titleSize = 0 }: Mp4Parts): Uint8Array {
  const mvhd = fullBox('mvhd', 0, zeros(8), u32be(1_000), u32be(1_000), u32be(FIXED_POINT_ONE), zeros(72), u32be(2));
  const ftyp = box('ftyp', brand, zeros(4), brand, 'isom');
  const title = largeBox('udta', largeBox('\xa9nam', new Uint8Array(titleSize).fill(65)));
  return concat([ftyp, largeBox('mdat', new Uint8Array(mdatSize)), largeBox('moov', mvhd, track, title)]);
}

/** The video has no real samples. Its header is at the end, as in videos of phones. */
export function mp4Video({ width, height, rotation = 0, pixel, ...sizes }: VideoSample): Uint8Array {
  const pasp = pixel ? box('pasp', u32be(pixel[0]), u32be(pixel[1])) : [];
  const avcC = box('avcC', [1, 0x42, 0xc0, 0x1e, 0xff, 0xe0, 0]);
  const visual = [u16be(width), u16be(height), u32be(0x48_0000), u32be(0x48_0000), zeros(4), u16be(1), zeros(32)];
  const sample = box('avc1', zeros(6), u16be(1), zeros(16), ...visual, u16be(24), [0xff, 0xff], avcC, pasp);
  return mp4({
    brand: 'isom',
    track: trackOf('vide', trackHead(width, height, ROTATIONS[rotation] ?? []), sample),
    ...sizes,
  });
}

export function mp4Audio(): Uint8Array {
  const sample = box(
    'mp4a',
    zeros(6),
    u16be(1),
    zeros(8),
    u16be(2),
    u16be(16),
    zeros(4),
    u32be(44_100 * FIXED_POINT_ONE),
  );
  return mp4({ brand: 'M4A ', track: trackOf('soun', trackHead(0, 0, ROTATIONS[0] ?? []), sample) });
}

const PIXEL_WIDTH = [0xb0];
const PIXEL_HEIGHT = [0xba];

export function webmVideo({ width, height }: VideoSample): Uint8Array {
  const video = element([0xe0], element(PIXEL_WIDTH, u16be(width)), element(PIXEL_HEIGHT, u16be(height)));
  return webm(element([0x83], 1), element([0x86], 'V_VP9'), video);
}

export function webmAudio(): Uint8Array {
  return webm(element([0x83], 2), element([0x86], 'A_OPUS'), element([0xe1], element([0x9f], 2)));
}

function webm(...trackElements: readonly Uint8Array[]): Uint8Array {
  const head = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], 'webm'), element([0x42, 0x87], 4));
  const info = element([0x15, 0x49, 0xa9, 0x66], element([0x2a, 0xd7, 0xb1], [0x0f, 0x42, 0x40]));
  const entry = element([0xae], element([0xd7], 1), element([0x73, 0xc5], 1), ...trackElements);
  return bytes(head, element([0x18, 0x53, 0x80, 0x67], info, element([0x16, 0x54, 0xae, 0x6b], entry)));
}
