import fc from 'fast-check';
import {
  box,
  bytes,
  element,
  fullBox,
  pngChunk,
  riff,
  riffChunk,
  segment,
  tiff,
  u16be,
  u16le,
  u32be,
  u32le,
} from '../../testing/file-parts.js';
import {
  id3,
  id3Frame,
  mp3Frame,
  oggPage,
  pngSample,
  SAMPLE_FILES,
  tiffSample,
  webmHeader,
} from '../../testing/index.js';
import { ALLOWED_MIMES } from '../types.js';
import { fileType } from './file-type.js';
import { TYPE_HEAD } from './head.js';

const type = (content: Uint8Array, name = 'a.bin'): string | undefined => fileType(content, name);
const said = (text: string): Uint8Array => new TextEncoder().encode(text);
const utf16 = (text: string, write: (unit: number) => number[]): Uint8Array =>
  bytes(write(0xfeff), ...Array.from({ length: text.length }, (_, index) => write(text.charCodeAt(index))));
const longer = (start: Uint8Array): Uint8Array => bytes(start, new Uint8Array(TYPE_HEAD - start.length));
const SEGMENT = [0x18, 0x53, 0x80, 0x67];
const VOID = [0xec];
const webmOf = (...header: readonly Uint8Array[]): Uint8Array =>
  bytes(element([0x1a, 0x45, 0xdf, 0xa3], ...header), SEGMENT);
/** An EBML size below 256, written in so many bytes. */
const vint = (size: number, length: number): number[] => [
  ...Array.from({ length: length - 1 }, (_, index) => (index === 0 ? 1 << (8 - length) : 0)),
  size,
];
const OFFICE = 'application/vnd.openxmlformats-officedocument';

interface Entry {
  readonly name: string;
  readonly content?: Uint8Array;
  readonly isSizeLater?: boolean;
}

const zip = (...entries: readonly (string | Entry)[]): Uint8Array =>
  bytes(
    ...entries.map((entry) => {
      const { name, content = bytes('x'), isSizeLater = false } = typeof entry === 'string' ? { name: entry } : entry;
      const size = isSizeLater ? 0 : content.length;
      const flags = isSizeLater ? 8 : 0;
      return bytes(
        'PK\x03\x04',
        u16le(20),
        u16le(flags),
        u16le(0),
        u32le(0),
        u32le(0),
        u32le(size),
        u32le(size),
        u16le(name.length),
        u16le(0),
        name,
        content,
      );
    }),
    'PK\x01\x02',
  );

const bmp = (headerSize: number, bits = 24, compression = 0): Uint8Array =>
  bytes(
    'BM',
    u32le(0),
    u32le(0),
    u32le(14 + headerSize),
    u32le(headerSize),
    headerSize === 12 ? [u16le(30), u16le(40)].flat() : [u32le(30), u32le(40)].flat(),
    u16le(1),
    u16le(bits),
    u32le(compression),
    new Uint8Array(120),
  );

const ftyp = (own: string, ...others: readonly string[]): Uint8Array =>
  bytes(box('ftyp', own, u32be(0), ...others), box('free'), box('mdat', 'x'));

const RIGHT: readonly (readonly [string, string, Uint8Array])[] = [
  ...SAMPLE_FILES.map(({ mime, bytes: file }) => [mime, 'a sample', file] as const),
  ['image/jpeg', 'fill before a segment', bytes([0xff, 0xd8, 0xff, 0xff], segment(0xe0, 'JFIF\0'), segment(0xda, 'x'))],
  [
    'image/jpeg',
    'a profile longer than the head',
    longer(bytes([0xff, 0xd8], segment(0xe1, new Uint8Array(65_000)), segment(0xe2, 'x'.repeat(500)))),
  ],
  ['image/webp', 'lossy', riff('WEBP', riffChunk('VP8 ', [0x50, 1, 0, 0x9d, 1, 0x2a], u16le(30), u16le(40)))],
  ['image/webp', 'lossless', riff('WEBP', riffChunk('VP8L', [0x2f, 29, 0xc0, 9, 0x10]))],
  ['image/gif', 'the older version', bytes('GIF87a', u16le(1), u16le(1), [0, 0, 0], 0x2c)],
  [
    'image/avif',
    'as an image of a wider kind',
    bytes(box('ftyp', 'mif1', u32be(0), 'mif1', 'avif'), fullBox('meta', 0)),
  ],
  ['image/avif', 'that moves', ftyp('avis', 'avis', 'msf1')],
  ['image/tiff', 'its directory beyond the head', longer(bytes('MM\0*', u32be(5_000_000)))],
  ...[12, 40, 52, 56, 64, 108, 124].map((size) => ['image/bmp', `a header of ${size}`, bmp(size)] as const),
  ['image/bmp', 'with masks', bmp(124, 32, 3)],
  ['image/svg+xml', 'bare', said('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  [
    'image/svg+xml',
    'after all that may come before',
    said(
      '\ufeff\n<?xml version="1.0"?>\n<!-- drawn -->\n<?xml-stylesheet href="x"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd" [<!ENTITY a "b">\n]>\n<!-- x --><svg\n width="1">',
    ),
  ],
  ['image/svg+xml', 'with a prefix', said('<svg:svg xmlns:svg="http://www.w3.org/2000/svg">')],
  ['image/svg+xml', 'of 16 bits', utf16('<?xml version="1.0"?><svg>', u16le)],
  ...['isom', 'iso6', 'mp41', 'mp42', 'avc1', 'M4V ', 'MSNV', 'dash'].map(
    (brand) => ['video/mp4', brand, ftyp(brand)] as const,
  ),
  ['video/mp4', 'a brand of others', ftyp('XYZW', 'mp42')],
  ['video/quicktime', 'of a brand', ftyp('qt  ')],
  ['video/quicktime', 'a header first', bytes(box('moov', box('mvhd', 'x')), box('mdat', 'x'))],
  ['video/quicktime', 'samples first', longer(bytes(box('wide'), u32be(1_000_000), 'mdat'))],
  ['audio/mp4', 'music', ftyp('M4A ', 'mp42')],
  ['audio/mp4', 'a book', ftyp('M4B ')],
  [
    'video/webm',
    'a long size',
    bytes([0x1a, 0x45, 0xdf, 0xa3, 1, 0, 0, 0, 0, 0, 0, 7], element([0x42, 0x82], 'webm'), SEGMENT),
  ],
  ...[2, 3, 4, 5, 6, 7, 8].map(
    (length) =>
      [
        'video/webm',
        `a DocType length of ${length} bytes`,
        webmOf(bytes([0x42, 0x82], vint(4, length), 'webm')),
      ] as const,
  ),
  ['video/webm', 'a padded DocType', webmOf(element([0x42, 0x82], 'webm', [0, 0, 0, 0]))],
  [
    'video/webm',
    'a long header with its DocType last',
    webmOf(element(VOID, new Uint8Array(300)), bytes([0x42, 0x86], vint(1, 3), [1]), element([0x42, 0x82], 'webm')),
  ],
  ['video/webm', 'padding before the segment', bytes(webmHeader(), element(VOID, new Uint8Array(9)), SEGMENT)],
  ['audio/mpeg', 'bare', bytes(mp3Frame(), mp3Frame())],
  ['audio/mpeg', 'slow, and padded', bytes([0xff, 0xf3, 0x82, 0xc4], new Uint8Array(205), [0xff, 0xf3, 0x80, 0xc4])],
  [
    'audio/mpeg',
    'titles longer than the head',
    bytes('ID3', [3, 0, 0, 0, 0x7f, 0, 0], 'TIT2', new Uint8Array(TYPE_HEAD)),
  ],
  ['audio/ogg', 'Opus', oggPage(1, 0, 2, bytes('OpusHead', new Uint8Array(11)))],
  ['audio/ogg', 'FLAC', oggPage(1, 0, 2, bytes('\x7fFLAC', new Uint8Array(11)))],
  [
    'audio/wav',
    'what is sound first',
    riff('WAVE', riffChunk('fmt ', u16le(3), u16le(2), u32le(48_000), u32le(0), u16le(8), u16le(32))),
  ],
  ['application/pdf', 'at once', said('%PDF-1.7\n%\u00e2\n1 0 obj\n<<>>')],
  ['application/pdf', 'late', said(`${'x\n'.repeat(500)}%PDF-1.4\r\n1 0 obj`)],
  ['application/zip', 'of files', zip('a.txt', 'b/c.txt')],
  ['application/zip', 'of nothing', bytes('PK\x05\x06', new Uint8Array(18))],
  ['application/zip', 'of something called word', zip('word/a.txt', 'word/b.txt')],
  [
    'application/zip',
    'of a document',
    zip({ name: 'a.docx', content: zip('[Content_Types].xml', 'word/document.xml') }),
  ],
  ['application/zip', 'of two kinds of parts', zip('[Content_Types].xml', 'word/a.xml', 'xl/a.xml')],
  [`${OFFICE}.wordprocessingml.document`, 'by Word', zip('[Content_Types].xml', '_rels/.rels', 'word/document.xml')],
  [
    `${OFFICE}.spreadsheetml.sheet`,
    'sizes after the content',
    zip({ name: '[Content_Types].xml', isSizeLater: true }, { name: 'xl/workbook.xml', isSizeLater: true }),
  ],
  [`${OFFICE}.presentationml.presentation`, 'parts first', zip('ppt/presentation.xml', '_rels/.rels')],
  ['text/plain', 'of the region', said('Čizma za zimu, 靴, 👢\tи ципела\r\n\f')],
  ['text/plain', 'less than something', said('<3 is a heart, 1 < 2')],
  ['text/plain', 'of 16 bits, small end first', utf16('Čizma 👢\n', u16le)],
  ['text/plain', 'of 16 bits, large end first', utf16('Čizma 👢\n', u16be)],
  ['text/plain', 'that names a type', said('BMW and ID3 tags: see the %PDF-1.4 file')],
];

describe('the type of a file', () => {
  it.each(RIGHT)('is %s: %s', (mime, _, content) => {
    expect(type(content)).toBe(mime);
  });

  it('is each of those that the library takes', () => {
    expect(new Set([...RIGHT.map(([mime]) => mime), 'text/csv'])).toEqual(new Set(ALLOWED_MIMES));
  });

  it('is a table when the name says so, and only then', () => {
    const names = ['a.csv', 'A.CSV', 'a.csv.txt', 'csv', 'a.html', 'a.png', ''];
    expect(names.map((name) => type(said('a;b\n1;2'), name))).toEqual([
      'text/csv',
      'text/csv',
      ...names.slice(2).map(() => 'text/plain'),
    ]);
    expect(type(pngSample(), 'a.csv')).toBe('image/png');
  });

  it('takes no more than the head', () => {
    expect(type(bytes(said('x'.repeat(TYPE_HEAD)), 0))).toBe('text/plain');
    expect(type(bytes(said('x'.repeat(TYPE_HEAD - 1)), 0))).toBeUndefined();
  });
});

const PAGES = [
  '<!doctype html>',
  '<!DOCTYPE HTML><p>',
  '<html>',
  '<HTML lang="sr">',
  '<?xml version="1.0"?><a/>',
  '<script>alert(1)</script>',
  ' \n\t<script>',
  '\ufeff<html>',
  '<p>x',
  '</p>',
  '<!-- x --><html>',
  '<iframe src=x>',
  '<!doctype html><svg>',
  '<svgx>',
  '<?xml version="1.0"?><html xmlns="x"><svg/></html>',
  '<SVG>',
];

describe('what is not taken', () => {
  it.each(PAGES)('a page or a script: %j', (content) => {
    expect(type(said(content))).toBeUndefined();
    expect(type(said(content), 'a.csv')).toBeUndefined();
    expect(type(utf16(content.replace('\ufeff', ''), u16le))).toBeUndefined();
  });

  it.each([
    ['nothing', bytes()],
    ['a program of Windows', bytes('MZ\x90\0\x03\0\0\0')],
    ['a program of Unix', bytes('\x7fELF\x02\x01\x01\0')],
    ['a program of Apple', bytes([0xcf, 0xfa, 0xed, 0xfe])],
    ['a script of a shell', said('#!/bin/sh\nrm -rf /')],
    ['PostScript', said('%!PS-Adobe-3.0')],
    ['text with NUL', bytes('abc\0def')],
    ['text with an escape', bytes('abc\x1b[31m')],
    ['text with DEL', bytes('abc\x7f')],
    ['text with a control of Unicode', said('abc\u009b')],
    ['text in another code', bytes('\xc8izma')],
    ['text that is written too long', bytes([0xc0, 0xaf])],
    ['three bytes too long', bytes([0xe0, 0x80, 0xaf])],
    ['half of a pair', bytes([0xed, 0xa0, 0x80])],
    ['beyond Unicode', bytes([0xf4, 0x90, 0x80, 0x80])],
    ['half of a pair in 16 bits', bytes(u16le(0xfeff), u16le(0xd800), u16le(0x41))],
    ['the second half alone', bytes(u16le(0xfeff), u16le(0xdc00))],
    ['NUL in 16 bits', bytes(u16le(0xfeff), u16le(0))],
    ['a GIF that is a script', said('GIF89a=1;alert(1)')],
    ['a GIF whose size begins a comment', said('GIF89a/*xxxxxxxxxxxxxx*/=1;alert(1)')],
    ['a GIF of no size', bytes('GIF89a', [0, 0, 0, 0, 0, 0, 0, 0x3b])],
    ['a JPEG that is a script', bytes('\xff\xd8\xff\xe0alert(1)//', 'x'.repeat(30_000))],
    ['a JPEG of one segment', bytes([0xff, 0xd8], segment(0xe0, 'JFIF\0'))],
    ['a JPEG of no segment', bytes([0xff, 0xd8, 0xff, 0x02, 0, 2, 0xff, 0xd9])],
    [
      'a PNG of no size',
      bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(0), u32be(1), [8, 2, 0, 0, 0]), pngChunk('IDAT')),
    ],
    [
      'a PNG too large',
      bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(0x8000_0000), u32be(1), [8, 2, 0, 0, 0]), pngChunk('IDAT')),
    ],
    [
      'a PNG of a colour that is none',
      bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(1), u32be(1), [8, 5, 0, 0, 0]), pngChunk('IDAT')),
    ],
    [
      'a PNG of a depth that is none',
      bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(1), u32be(1), [4, 2, 0, 0, 0]), pngChunk('IDAT')),
    ],
    ['a PNG that is a script', bytes('\x89PNG\r\n\x1a\nalert(1)//')],
    ['a WebP of nothing', riff('WEBP', 'alert(1)////////')],
    ['a WebP of no frame', riff('WEBP', riffChunk('VP8 ', 'alert(1)////'))],
    ['a film of Windows', riff('AVI ', riffChunk('LIST', 'hdrl'))],
    ['HEIC', ftyp('heic', 'mif1', 'heic')],
    ['a film of an old phone', ftyp('3gp4', '3gp4')],
    ['a brand without a box after it', box('ftyp', 'mp42', u32be(0), 'isom')],
    ['a brand that is a script', bytes(box('ftyp', 'mp42', u32be(0)), '<script>')],
    ['a brand of no size', bytes(u32be(9), 'ftypmp42', u32be(0), 'isom')],
    ['Matroska', bytes(webmHeader('matroska'), SEGMENT)],
    ['Matroska with a long DocType length', webmOf(bytes([0x42, 0x82], vint(8, 8), 'matroska'))],
    ['a DocType that only begins with webm', webmOf(element([0x42, 0x82], 'webm2'))],
    ['a DocType longer than its header', bytes([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x85], 'webm', SEGMENT)],
    ['a DocType inside of padding', webmOf(element(VOID, element([0x42, 0x82], 'webm')))],
    ['a WebM header without a segment', bytes(webmHeader(), element(VOID, 'x'), 'alert(1)')],
    ['a WebM header before padding without an end', bytes(webmHeader(), VOID, 0xff, 'alert(1)')],
    ['a film in Ogg', oggPage(1, 0, 2, bytes('\x80theora', new Uint8Array(30)))],
    ['the middle of an Ogg', oggPage(1, 0, 0, bytes('OpusHead'))],
    ['a WAV of no sound', riff('WAVE', riffChunk('data', 'x'))],
    ['one frame of MP3', mp3Frame()],
    ['a frame of another layer', bytes([0xff, 0xfd, 0x90, 0x64], new Uint8Array(413), [0xff, 0xfd, 0x90, 0x64])],
    ['titles without sound', id3(3, 0, id3Frame(3, 'TIT2', 0, 'A title'))],
    ['titles before a script', bytes('ID3', [3, 0, 0, 0, 0, 0, 0], '<script>')],
    ['a raw image of Canon', bytes('II*\0', u32le(16), 'CR\x02\0', u32le(0), tiffSample().slice(8))],
    [
      'a raw image of Adobe',
      tiff('II', [
        [
          [256, 3, [1]],
          [257, 3, [1]],
          [50_706, 1, [1, 4, 0, 0]],
        ],
      ]),
    ],
    [
      'a TIFF without a size',
      tiff('MM', [
        [
          [256, 3, [1]],
          [270, 2, 'x'],
        ],
      ]),
    ],
    ['a TIFF that ends before its directory', bytes('II*\0', u32le(1_000), 'alert(1)')],
    ['a BMP for printers', bmp(40, 0, 4)],
    ['a BMP of an odd header', bmp(41)],
    ['a BMP that is a script', said('BM=1;alert(1)//'.padEnd(80, '\u0001'))],
    ['a PDF of nothing', bytes('%PDF-1.4\0<script>alert(1)</script>')],
    ['a page with a PDF in it', said('<html>%PDF-1.4\n1 0 obj</html>')],
    ['a document with macros', zip('[Content_Types].xml', 'word/document.xml', 'word/vbaProject.bin')],
    ['a ZIP that is a script', bytes('PK\x03\x04alert(1);//'.padEnd(60, '/'))],
  ])('%s', (_, content) => {
    expect(type(content)).toBeUndefined();
    expect(type(content, 'a.csv')).toBeUndefined();
  });

  it('a script that calls itself an image is text at most', () => {
    expect(type(said('alert(1)'), 'a.png')).toBe('text/plain');
  });
});

describe('any bytes', () => {
  const starts = [...RIGHT.map(([, , content]) => content.subarray(0, 40)), ...PAGES.map(said)];
  const taken = new Set<string | undefined>([undefined, ...ALLOWED_MIMES]);

  it('are of a type that is taken, or of none', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(bytes(), ...starts),
        fc.nat(40),
        fc.uint8Array({ maxLength: 200 }),
        (start, size, rest) => {
          expect(taken.has(type(bytes(start.subarray(0, size), rest)))).toBe(true);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it('of text are text, cut wherever they may be', () => {
    const character = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text));
    fc.assert(
      fc.property(character, fc.nat(3), (content, cut) => {
        const whole = said(`t${content}`);
        expect(type(whole.subarray(0, Math.max(1, whole.length - cut)))).toBe('text/plain');
      }),
      { numRuns: 2_000 },
    );
  });

  it('of a sample, cut wherever, are of its type or of none', () => {
    for (const { mime, bytes: file } of SAMPLE_FILES) {
      for (let size = 0; size < Math.min(file.length, 600); size += 1) {
        const found = type(file.subarray(0, size));
        if (found !== undefined && found !== mime && size > 11) throw new Error(`${mime} cut at ${size} is ${found}`);
      }
    }
  });
});
