import { oggCrc } from '../location/crc.js';
import {
  box,
  bytes,
  element,
  exif,
  fullBox,
  gifBlocks,
  LOCATION,
  pngChunk,
  riff,
  riffChunk,
  jpegSegment,
  tiff,
  u16be,
  u16le,
  u32be,
  u32le,
  XMP,
  type Part,
  type Tag,
} from './file-parts.js';

export interface SampleFile {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

const zeros = (count: number): number[] => Array.from({ length: count }, () => 0);

export function jpegSample(orientation = 6): Uint8Array {
  return bytes(
    [0xff, 0xd8],
    jpegSegment(0xe0, 'JFIF\0', [1, 2, 0, 0, 72, 0, 72, 1, 1], [1, 2, 3], LOCATION),
    jpegSegment(0xe1, 'Exif\0\0', exif(orientation)),
    jpegSegment(0xe1, XMP),
    jpegSegment(0xe1, 'http://ns.adobe.com/xmp/extension/\0', zeros(40), LOCATION),
    jpegSegment(0xe1, 'Exif\0\0', exif(3, 'MM')),
    jpegSegment(0xe2, 'ICC_PROFILE\0', 1, 1, 'profile'),
    jpegSegment(0xe2, 'MPF\0', LOCATION),
    jpegSegment(0xed, 'Photoshop 3.0\0', LOCATION),
    jpegSegment(0xee, 'Adobe', [0, 100, 0, 0, 0, 0, 1], LOCATION),
    jpegSegment(0xfe, LOCATION),
    [0xff, 0xff, 0xff],
    jpegSegment(0xdb, 0, zeros(64)),
    jpegSegment(0xc2, 8, u16be(40), u16be(30), 3, [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0]),
    jpegSegment(0xc4, 0, zeros(16)),
    jpegSegment(0xda, [1, 1, 0, 0, 63, 0]),
    [0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56, 0xff, 0xff, 0xd1, 0x78],
    jpegSegment(0xfe, LOCATION),
    jpegSegment(0xda, [1, 2, 0, 0, 63, 0]),
    [0x9a, 0xff, 0x00, 0xff],
    [0xff, 0xd9],
    [0xff, 0xd8],
    jpegSegment(0xe1, 'Exif\0\0', exif()),
    LOCATION,
  );
}

export function pngSample(orientation = 6): Uint8Array {
  return bytes(
    [0x89, 'PNG\r\n', 0x1a, '\n']
      .map((part) => bytes(part))
      .reduce((previousBytes, part) => bytes(previousBytes, part)),
    pngChunk('IHDR', u32be(30), u32be(40), [8, 2, 0, 0, 0]),
    pngChunk('acTL', u32be(1), u32be(0)),
    pngChunk('iCCP', 'name\0\0profile'),
    pngChunk('tEXt', 'Comment\0', LOCATION),
    pngChunk('zTXt', 'Comment\0\0', LOCATION),
    pngChunk('iTXt', 'XML:com.adobe.xmp\0\0\0\0\0', XMP),
    pngChunk('eXIf', exif(orientation)),
    pngChunk('eXIf', exif(3)),
    pngChunk('prVt', LOCATION),
    pngChunk('IDAT', 'pixels'),
    pngChunk('fdAT', u32be(1), 'pixels'),
    pngChunk('tEXt', 'Location\0', LOCATION),
    pngChunk('IEND'),
    LOCATION,
  );
}

export function webpSample(orientation = 6): Uint8Array {
  const [size, pixels] = [[29, 0, 0, 39, 0, 0], riffChunk('VP8L', 0x2f, [29, 0xc0, 0x09, 0], 'px')];
  return bytes(
    riff(
      'WEBP',
      riffChunk('VP8X', [0x2e, 0, 0, 0], size),
      riffChunk('ICCP', 'profile'),
      riffChunk('ANIM', zeros(6)),
      riffChunk('ANMF', zeros(6), size, zeros(4), pixels, riffChunk('META', LOCATION)),
      riffChunk('EXIF', exif(orientation)),
      riffChunk('XMP ', XMP),
      riffChunk('OWN ', LOCATION),
    ),
    LOCATION,
  );
}

export function gifSample(): Uint8Array {
  const image = [0x2c, zeros(4), u16le(30), u16le(40), 0x80, zeros(6), 2, gifBlocks('p'.repeat(300))].map((part) =>
    bytes(part),
  );
  return bytes(
    'GIF89a',
    u16le(30),
    u16le(40),
    [0x80, 0, 0],
    zeros(6),
    [0x21, 0xff, 11],
    'NETSCAPE2.0',
    gifBlocks([1, 0, 0]),
    [0x21, 0xff, 11],
    'ICCRGBG1012',
    gifBlocks('profile'),
    [0x21, 0xff, 11],
    'XMP DataXMP',
    XMP.slice(29),
    1,
    Array.from({ length: 256 }, (_, index) => 255 - index),
    [0],
    [0x21, 0xfe],
    gifBlocks(LOCATION),
    [0x21, 0x99],
    gifBlocks(LOCATION),
    [0x21, 0xf9, 4, 0, 10, 0, 0, 0],
    ...image,
    ...image,
    0x3b,
    LOCATION,
  );
}

const PLACEHOLDER_OFFSET = 100_000;

/** The file has two pages, a sub-image, an unreferenced directory, and texts, EXIF, GPS, XMP, IPTC and map tags. */
export function tiffSample(order: 'II' | 'MM' = 'II'): Uint8Array {
  const page = (offset: number, ...furtherTags: readonly Tag[]): readonly Tag[] => [
    [256, 3, [4]],
    [257, 3, [2]],
    [258, 3, [8]],
    [259, 3, [1]],
    [262, 3, [1]],
    [270, 2, LOCATION],
    [273, 4, [offset, offset + 4]],
    [274, 3, [6]],
    [277, 3, [1]],
    [278, 3, [1]],
    [279, 3, [4, 4]],
    [282, 5, [72, 1]],
    ...furtherTags,
  ];
  const locationTags: readonly Tag[] = [
    [330, 13, [2]],
    [700, 1, [...bytes(XMP)]],
    [33_723, 7, [...bytes(LOCATION)]],
    [33_922, 5, [44, 1, 48, 1, 45, 1]],
    [34_665, 13, [3]],
    [34_675, 7, [...bytes('profile')]],
    [34_853, 13, [4]],
  ];
  const gps: readonly Tag[] = [[2, 5, [44, 1, 48, 1, 45, 1]]];
  const makeTiff = (offset: number): Uint8Array =>
    tiff(
      order,
      [
        page(offset, ...locationTags),
        page(offset + 8),
        page(offset + 16),
        [[0x9286, 7, [...bytes(LOCATION)]]],
        gps,
        gps,
      ],
      2,
    );
  return bytes(makeTiff(makeTiff(PLACEHOLDER_OFFSET).length), 'pixels of', ' one and', ' below', '0', LOCATION);
}

interface AvifParts {
  readonly isMetaLast?: boolean;
}

export function avifSample({ isMetaLast = false }: AvifParts = {}): Uint8Array {
  const ftyp = box('ftyp', 'avif', zeros(4), 'avif', 'mif1', 'miaf');
  const item = (id: number, type: string, ...furtherParts: readonly Part[]): Uint8Array =>
    fullBox('infe', 2, u16be(id), [0, 0], type, 0, ...furtherParts);
  const [pixels, exifItem] = [bytes('pixels'), bytes(u32be(0), exif())];
  const meta = (start: number): Uint8Array =>
    fullBox(
      'meta',
      0,
      fullBox('hdlr', 0, zeros(4), 'pict', zeros(13)),
      fullBox('pitm', 0, u16be(1)),
      fullBox(
        'iloc',
        1,
        [0x44, 0],
        u16be(4),
        ...[
          [1, 0, start, pixels.length],
          [2, 0, start + pixels.length, exifItem.length],
          [3, 0, start + pixels.length + exifItem.length, XMP.length],
          [4, 1, 0, LOCATION.length],
        ].map(([id = 0, construction = 0, from = 0, size = 0]) =>
          bytes(u16be(id), u16be(construction), u16be(0), u16be(1), u32be(from), u32be(size)),
        ),
      ),
      fullBox(
        'iinf',
        0,
        u16be(4),
        item(1, 'av01'),
        item(2, 'Exif'),
        item(3, 'mime', 'application/rdf+xml\0'),
        item(4, 'uri ', 'urn:x\0'),
      ),
      box(
        'iprp',
        box(
          'ipco',
          fullBox('ispe', 0, u32be(30), u32be(40)),
          box('irot', 1),
          fullBox('udes', 0, `en\0name\0${LOCATION}\0\0`),
        ),
        fullBox('ipma', 0, u32be(1), u16be(1), 2, 1, 0x82),
      ),
      box('idat', LOCATION),
      fullBox('xml ', 0, LOCATION),
      box('uuid', zeros(16), LOCATION),
    );
  const size = meta(0).length;
  const mdat = box('mdat', pixels, exifItem, XMP);
  return isMetaLast
    ? bytes(ftyp, mdat, meta(ftyp.length + 8), box('free', LOCATION))
    : bytes(ftyp, meta(ftyp.length + size + 8), mdat, box('free', LOCATION));
}

export interface IsoMediaParts {
  readonly ftyp?: Uint8Array;
  readonly isHeaderLast?: boolean;
  readonly samples?: readonly [string, Part];
  readonly moov?: readonly Part[];
}

export const titleBox = (type: string, value: Part): Uint8Array => box(type, box('data', u32be(1), u32be(0), value));

export function isoMediaSample({
  ftyp = box('ftyp', 'mp42', zeros(4), 'isom', 'mp42'),
  isHeaderLast = true,
  samples = ['avc1', zeros(78)],
  moov = [],
}: IsoMediaParts = {}): Uint8Array {
  const hdlr = (type: string): Uint8Array => fullBox('hdlr', 0, zeros(4), type, zeros(13));
  const stbl = box(
    'stbl',
    fullBox('stsd', 0, u32be(1), box(samples[0], zeros(6), [0, 1], samples[1])),
    fullBox('stts', 0, u32be(0)),
    fullBox('stco', 0, u32be(1), u32be(0x1234)),
    box('priv', LOCATION),
  );
  const trak = box(
    'trak',
    fullBox('tkhd', 0, zeros(80)),
    fullBox('meta', 0, hdlr('mdta'), LOCATION),
    box('mdia', fullBox('mdhd', 0, zeros(20)), hdlr('vide'), box('minf', fullBox('vmhd', 1, zeros(8)), stbl)),
    box('udta', box('\xa9xyz', u16be(LOCATION.length), [0x15, 0xc7], LOCATION)),
  );
  const itunes = fullBox(
    'meta',
    0,
    hdlr('mdir'),
    box(
      'ilst',
      titleBox('\xa9nam', 'A title'),
      titleBox('\xa9cmt', LOCATION),
      titleBox('covr', jpegSample()),
      box(
        '----',
        fullBox('mean', 0, 'com.apple.iTunes'),
        fullBox('name', 0, 'iTunSMPB'),
        box('data', zeros(8), ' 0000'),
      ),
      box('----', fullBox('mean', 0, 'org.example'), fullBox('name', 0, 'Place'), box('data', zeros(8), LOCATION)),
    ),
  );
  const header = box(
    'moov',
    fullBox('mvhd', 0, zeros(96)),
    trak,
    box(
      'udta',
      box('\xa9xyz', u16be(LOCATION.length), [0x15, 0xc7], LOCATION),
      fullBox('loci', 0, [0x15, 0xc7], LOCATION),
      box('XMP_', XMP),
      box('\xa9nam', u16be(7), [0, 0], 'A title'),
      box('GPMF', LOCATION),
      itunes,
      u32be(0),
    ),
    box('meta', hdlr('mdta'), fullBox('keys', 0, 'com.apple.quicktime.location.ISO6709'), box('ilst', LOCATION)),
    box('gps ', LOCATION),
    ...moov,
  );
  const uuid = box('uuid', [0xbe, 0x7a, 0xcf, 0xcb], zeros(12), XMP);
  const mdat = box('mdat', 'samples');
  return isHeaderLast
    ? bytes(ftyp, box('free', LOCATION), mdat, header, uuid, [0, 0, 0, 2], LOCATION)
    : bytes(ftyp, header, uuid, [0, 0, 0, 1], 'uuid', zeros(4), u32be(16 + LOCATION.length), LOCATION, mdat);
}

export const webmHeader = (docType = 'webm'): Uint8Array =>
  element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x86], 1), element([0x42, 0x82], docType), element([0x42, 0x87], 4));

export function webmSample(): Uint8Array {
  const tag = element(
    [0x12, 0x54, 0xc3, 0x67],
    element([0x73, 0x73], element([0x67, 0xc8], element([0x44, 0x87], LOCATION))),
  );
  return bytes(
    webmHeader(),
    [0x18, 0x53, 0x80, 0x67, 0x01, 255, 255, 255, 255, 255, 255, 255],
    element([0x15, 0x49, 0xa9, 0x66], element([0x4d, 0x80], 'muxer')),
    tag,
    element([0x16, 0x54, 0xae, 0x6b], 'tracks'),
    [0x1f, 0x43, 0xb6, 0x75, 0x01, 255, 255, 255, 255, 255, 255, 255],
    element([0xe7], 0),
    element([0xa3], 'block'),
    element([0x1f, 0x43, 0xb6, 0x75], element([0xe7], 1), element([0xa3], 'block')),
    element([0x19, 0x41, 0xa4, 0x69], LOCATION),
    // The size field has 8 bytes.
    [0x12, 0x54, 0xc3, 0x67, 0x01, 0, 0, 0, 0, 0, 0, LOCATION.length],
    LOCATION,
    element([0xec], LOCATION),
  );
}

export const id3 = (version: 3 | 4, flags: number, ...frames: readonly Part[]): Uint8Array => {
  const body = bytes(...frames, zeros(20));
  return bytes('ID3', version, 0, flags, synchsafe(body.length), body);
};

export const synchsafe = (size: number): number[] => [21, 14, 7, 0].map((shift) => (size >> shift) & 0x7f);

export const id3Frame = (version: 3 | 4, id: string, ...parts: readonly Part[]): Uint8Array => {
  const body = bytes(...parts);
  return bytes(id, version === 4 ? synchsafe(body.length) : u32be(body.length), [0, 0], body);
};

/** A frame of MPEG 1 layer III at 128 kbit/s and 44.1 kHz takes 417 bytes. */
export const mp3Frame = (): Uint8Array => bytes([0xff, 0xfb, 0x90, 0x64], zeros(413));

export function mp3Sample(version: 3 | 4 = 4): Uint8Array {
  const frame = (id: string, ...parts: readonly Part[]): Uint8Array => id3Frame(version, id, ...parts);
  const utf16 = (value: string): number[] => Array.from(value).flatMap((letter) => u16le(letter.charCodeAt(0)));
  return bytes(
    id3(
      version,
      0,
      frame('TIT2', 0, 'A title'),
      frame('TXXX', 0, 'Mood\0merry'),
      frame('TXXX', 1, [0xff, 0xfe], utf16('Recording location'), [0, 0], LOCATION),
      frame('PRIV', 'XMP\0', XMP),
      frame('APIC', 0, 'image/jpeg\0', 3, 'Cover\0', jpegSample()),
      frame('GEOB', 0, 'text/plain\0gps.txt\0\0', LOCATION),
    ),
    id3(3, 0x80, LOCATION),
    mp3Frame(),
    mp3Frame(),
  );
}

export function oggPage(serial: number, number: number, flags: number, ...packets: readonly Part[]): Uint8Array {
  const bodies = packets.map((packet) => bytes(packet));
  const table = bodies.flatMap((body) => [
    ...Array.from({ length: Math.floor(body.length / 255) }, () => 255),
    body.length % 255,
  ]);
  return withCrc(
    bytes('OggS', 0, flags, zeros(8), u32le(serial), u32le(number), zeros(4), table.length, table, ...bodies),
  );
}

export function withCrc(page: Uint8Array): Uint8Array {
  page.set(u32le(oggCrc(page)), 22);
  return page;
}

export function vorbisComments(...comments: readonly string[]): Uint8Array {
  const texts = ['maker', ...comments].map((comment) => bytes(u32le(comment.length), comment));
  return bytes(texts[0]!, u32le(comments.length), ...texts.slice(1), 1);
}

export function oggSample(): Uint8Array {
  const comments = vorbisComments('TITLE=A title', `Location=${LOCATION}`, `GEO_POINT=${LOCATION}`, 'DATE=2026');
  return bytes(
    oggPage(1, 0, 2, bytes('\x01vorbis', zeros(23))),
    oggPage(1, 1, 0, bytes('\x03vorbis', comments), bytes('\x05vorbis', 'tables')),
    oggPage(1, 2, 4, 'sound'),
  );
}

export function wavSample(): Uint8Array {
  return bytes(
    riff(
      'WAVE',
      riffChunk('iXML', `<BWFXML><LOCATION_GPS>${LOCATION}</LOCATION_GPS></BWFXML>`),
      riffChunk('fmt ', u16le(1), u16le(1), u32le(8_000), u32le(8_000), u16le(1), u16le(8)),
      riffChunk('LIST', 'INFO', riffChunk('INAM', 'A title'), riffChunk('ICMT', LOCATION)),
      riffChunk('LIST', 'exif', riffChunk('ecor', LOCATION)),
      riffChunk('data', 'sound'),
      riffChunk('_PMX', XMP),
      riffChunk('id3 ', id3(3, 0, id3Frame(3, 'PRIV', 'XMP\0', XMP))),
    ),
    LOCATION,
  );
}

export const SAMPLE_FILES: readonly SampleFile[] = [
  { mime: 'image/jpeg', bytes: jpegSample() },
  { mime: 'image/png', bytes: pngSample() },
  { mime: 'image/webp', bytes: webpSample() },
  { mime: 'image/gif', bytes: gifSample() },
  { mime: 'image/avif', bytes: avifSample() },
  { mime: 'image/avif', bytes: avifSample({ isMetaLast: true }) },
  { mime: 'image/tiff', bytes: tiffSample('II') },
  { mime: 'image/tiff', bytes: tiffSample('MM') },
  { mime: 'video/mp4', bytes: isoMediaSample() },
  { mime: 'video/mp4', bytes: isoMediaSample({ isHeaderLast: false }) },
  { mime: 'video/quicktime', bytes: isoMediaSample({ ftyp: box('ftyp', 'qt  ', zeros(4), 'qt  ') }) },
  { mime: 'video/quicktime', bytes: isoMediaSample({ ftyp: box('wide') }) },
  { mime: 'audio/mp4', bytes: isoMediaSample({ ftyp: box('ftyp', 'M4A ', zeros(4), 'M4A ', 'isom') }) },
  { mime: 'video/webm', bytes: webmSample() },
  { mime: 'audio/mpeg', bytes: mp3Sample(3) },
  { mime: 'audio/mpeg', bytes: mp3Sample(4) },
  { mime: 'audio/ogg', bytes: oggSample() },
  { mime: 'audio/wav', bytes: wavSample() },
];
