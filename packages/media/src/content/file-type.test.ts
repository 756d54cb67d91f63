import fc from 'fast-check';
import {
  box,
  bytes,
  element,
  fullBox,
  pngChunk,
  riff,
  riffChunk,
  jpegSegment,
  tiff,
  u16be,
  u16le,
  u32be,
  u32le,
} from '../testing/file-parts.js';
import { id3, id3Frame, mp3Frame, oggPage, pngSample, SAMPLE_FILES, tiffSample, webmHeader } from '../testing/index.js';
import { ALLOWED_MIMES } from '../files/types.js';
import { fileType } from './file-type.js';
import { TYPE_HEAD_BYTES } from './head.js';

const detectType = (content: Uint8Array, name = 'a.bin'): string | undefined => fileType(content, name);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const utf16 = (text: string, write: (unit: number) => number[]): Uint8Array =>
  bytes(write(0xfeff), ...Array.from({ length: text.length }, (_, index) => write(text.charCodeAt(index))));
const padToHead = (start: Uint8Array): Uint8Array => bytes(start, new Uint8Array(TYPE_HEAD_BYTES - start.length));
const SEGMENT = [0x18, 0x53, 0x80, 0x67];
const VOID = [0xec];
const webmOf = (...header: readonly Uint8Array[]): Uint8Array =>
  bytes(element([0x1a, 0x45, 0xdf, 0xa3], ...header), SEGMENT);
const encodeSize = (size: number, length: number): number[] => [
  ...Array.from({ length: length - 1 }, (_, index) => (index === 0 ? 1 << (8 - length) : 0)),
  size,
];
const OFFICE_MIME = 'application/vnd.openxmlformats-officedocument';

interface ZipEntry {
  readonly name: string;
  readonly content?: Uint8Array;
  readonly hasDataDescriptor?: boolean;
}

const makeZip = (...entries: readonly (string | ZipEntry)[]): Uint8Array =>
  bytes(
    ...entries.map((entry) => {
      const {
        name,
        content = bytes('x'),
        hasDataDescriptor = false,
      } = typeof entry === 'string' ? { name: entry } : entry;
      const size = hasDataDescriptor ? 0 : content.length;
      const flags = hasDataDescriptor ? 8 : 0;
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

const makeBmp = (headerSize: number, bits = 24, compression = 0): Uint8Array =>
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

const brandedFile = (majorBrand: string, ...compatibleBrands: readonly string[]): Uint8Array =>
  bytes(box('ftyp', majorBrand, u32be(0), ...compatibleBrands), box('free'), box('mdat', 'x'));

const ACCEPTED_FILES: readonly (readonly [string, string, Uint8Array])[] = [
  ...SAMPLE_FILES.map(({ mime, bytes: file }) => [mime, 'a sample', file] as const),
  [
    'image/jpeg',
    'fill bytes before a segment',
    bytes([0xff, 0xd8, 0xff, 0xff], jpegSegment(0xe0, 'JFIF\0'), jpegSegment(0xda, 'x')),
  ],
  [
    'image/jpeg',
    'a profile longer than the head',
    padToHead(bytes([0xff, 0xd8], jpegSegment(0xe1, new Uint8Array(65_000)), jpegSegment(0xe2, 'x'.repeat(500)))),
  ],
  ['image/webp', 'lossy', riff('WEBP', riffChunk('VP8 ', [0x50, 1, 0, 0x9d, 1, 0x2a], u16le(30), u16le(40)))],
  ['image/webp', 'lossless', riff('WEBP', riffChunk('VP8L', [0x2f, 29, 0xc0, 9, 0x10]))],
  ['image/gif', 'the older version', bytes('GIF87a', u16le(1), u16le(1), [0, 0, 0], 0x2c)],
  ['image/avif', 'major brand mif1', bytes(box('ftyp', 'mif1', u32be(0), 'mif1', 'avif'), fullBox('meta', 0))],
  ['image/avif', 'animated', brandedFile('avis', 'avis', 'msf1')],
  ['image/tiff', 'directory beyond the head', padToHead(bytes('MM\0*', u32be(5_000_000)))],
  ...[12, 40, 52, 56, 64, 108, 124].map((size) => ['image/bmp', `a header of ${size}`, makeBmp(size)] as const),
  ['image/bmp', 'with masks', makeBmp(124, 32, 3)],
  ['image/svg+xml', 'bare', utf8('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  [
    'image/svg+xml',
    'full prologue',
    utf8(
      '\ufeff\n<?xml version="1.0"?>\n<!-- drawn -->\n<?xml-stylesheet href="x"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd" [<!ENTITY a "b">\n]>\n<!-- x --><svg\n width="1">',
    ),
  ],
  ['image/svg+xml', 'with a prefix', utf8('<svg:svg xmlns:svg="http://www.w3.org/2000/svg">')],
  ['image/svg+xml', 'UTF-16', utf16('<?xml version="1.0"?><svg>', u16le)],
  ...['isom', 'iso6', 'mp41', 'mp42', 'avc1', 'M4V ', 'MSNV', 'dash'].map(
    (brand) => ['video/mp4', brand, brandedFile(brand)] as const,
  ),
  ['video/mp4', 'unknown major brand', brandedFile('XYZW', 'mp42')],
  ['video/quicktime', 'with a brand', brandedFile('qt  ')],
  ['video/quicktime', 'header first', bytes(box('moov', box('mvhd', 'x')), box('mdat', 'x'))],
  ['video/quicktime', 'samples first', padToHead(bytes(box('wide'), u32be(1_000_000), 'mdat'))],
  ['audio/mp4', 'music', brandedFile('M4A ', 'mp42')],
  ['audio/mp4', 'a book', brandedFile('M4B ')],
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
        webmOf(bytes([0x42, 0x82], encodeSize(4, length), 'webm')),
      ] as const,
  ),
  ['video/webm', 'a padded DocType', webmOf(element([0x42, 0x82], 'webm', [0, 0, 0, 0]))],
  [
    'video/webm',
    'a long header with its DocType last',
    webmOf(
      element(VOID, new Uint8Array(300)),
      bytes([0x42, 0x86], encodeSize(1, 3), [1]),
      element([0x42, 0x82], 'webm'),
    ),
  ],
  ['video/webm', 'padding before the segment', bytes(webmHeader(), element(VOID, new Uint8Array(9)), SEGMENT)],
  ['audio/mpeg', 'bare', bytes(mp3Frame(), mp3Frame())],
  ['audio/mpeg', 'slow, and padded', bytes([0xff, 0xf3, 0x82, 0xc4], new Uint8Array(205), [0xff, 0xf3, 0x80, 0xc4])],
  [
    'audio/mpeg',
    'tags longer than the head',
    bytes('ID3', [3, 0, 0, 0, 0x7f, 0, 0], 'TIT2', new Uint8Array(TYPE_HEAD_BYTES)),
  ],
  ['audio/ogg', 'Opus', oggPage(1, 0, 2, bytes('OpusHead', new Uint8Array(11)))],
  ['audio/ogg', 'FLAC', oggPage(1, 0, 2, bytes('\x7fFLAC', new Uint8Array(11)))],
  [
    'audio/wav',
    'format first',
    riff('WAVE', riffChunk('fmt ', u16le(3), u16le(2), u32le(48_000), u32le(0), u16le(8), u16le(32))),
  ],
  ['application/pdf', 'signature first', utf8('%PDF-1.7\n%\u00e2\n1 0 obj\n<<>>')],
  ['application/pdf', 'late signature', utf8(`${'x\n'.repeat(500)}%PDF-1.4\r\n1 0 obj`)],
  ['application/zip', 'of files', makeZip('a.txt', 'b/c.txt')],
  ['application/zip', 'empty', bytes('PK\x05\x06', new Uint8Array(18))],
  ['application/zip', 'with a folder called word', makeZip('word/a.txt', 'word/b.txt')],
  [
    'application/zip',
    'with a document inside',
    makeZip({ name: 'a.docx', content: makeZip('[Content_Types].xml', 'word/document.xml') }),
  ],
  ['application/zip', 'parts of two document types', makeZip('[Content_Types].xml', 'word/a.xml', 'xl/a.xml')],
  [
    `${OFFICE_MIME}.wordprocessingml.document`,
    'by Word',
    makeZip('[Content_Types].xml', '_rels/.rels', 'word/document.xml'),
  ],
  [
    `${OFFICE_MIME}.spreadsheetml.sheet`,
    'sizes after the content',
    makeZip(
      { name: '[Content_Types].xml', hasDataDescriptor: true },
      { name: 'xl/workbook.xml', hasDataDescriptor: true },
    ),
  ],
  [`${OFFICE_MIME}.presentationml.presentation`, 'parts first', makeZip('ppt/presentation.xml', '_rels/.rels')],
  ['text/plain', 'Unicode', utf8('Čizma za zimu, 靴, 👢\tи ципела\r\n\f')],
  ['text/plain', 'less-than signs', utf8('<3 is a heart, 1 < 2')],
  ['text/plain', 'UTF-16, little-endian', utf16('Čizma 👢\n', u16le)],
  ['text/plain', 'UTF-16, big-endian', utf16('Čizma 👢\n', u16be)],
  ['text/plain', 'signatures in the middle', utf8('BMW and ID3 tags: see the %PDF-1.4 file')],
];

describe('fileType', () => {
  it.each(ACCEPTED_FILES)('detects %s: %s', (mime, _, content) => {
    expect(detectType(content)).toBe(mime);
  });

  it('detects every accepted type', () => {
    expect(new Set([...ACCEPTED_FILES.map(([mime]) => mime), 'text/csv'])).toEqual(new Set(ALLOWED_MIMES));
  });

  it('detects CSV by the name', () => {
    const names = ['a.csv', 'A.CSV', 'a.csv.txt', 'csv', 'a.html', 'a.png', ''];
    expect(names.map((name) => detectType(utf8('a;b\n1;2'), name))).toEqual([
      'text/csv',
      'text/csv',
      ...names.slice(2).map(() => 'text/plain'),
    ]);
    expect(detectType(pngSample(), 'a.csv')).toBe('image/png');
  });

  it('reads only the start of a file', () => {
    expect(detectType(bytes(utf8('x'.repeat(TYPE_HEAD_BYTES)), 0))).toBe('text/plain');
    expect(detectType(bytes(utf8('x'.repeat(TYPE_HEAD_BYTES - 1)), 0))).toBeUndefined();
  });
});

const HTML_TEXTS = [
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

describe('fileType of content that the library does not accept', () => {
  it.each(HTML_TEXTS)('rejects HTML or a script: %j', (content) => {
    expect(detectType(utf8(content))).toBeUndefined();
    expect(detectType(utf8(content), 'a.csv')).toBeUndefined();
    expect(detectType(utf16(content.replace('\ufeff', ''), u16le))).toBeUndefined();
  });

  it.each([
    ['an empty file', bytes()],
    ['a Windows program', bytes('MZ\x90\0\x03\0\0\0')],
    ['a Unix program', bytes('\x7fELF\x02\x01\x01\0')],
    ['an Apple program', bytes([0xcf, 0xfa, 0xed, 0xfe])],
    ['a shell script', utf8('#!/bin/sh\nrm -rf /')],
    ['PostScript', utf8('%!PS-Adobe-3.0')],
    ['text with NUL', bytes('abc\0def')],
    ['text with an escape', bytes('abc\x1b[31m')],
    ['text with DEL', bytes('abc\x7f')],
    ['text with a Unicode control', utf8('abc\u009b')],
    ['text in another encoding', bytes('\xc8izma')],
    ['an overlong character of two bytes', bytes([0xc0, 0xaf])],
    ['an overlong character of three bytes', bytes([0xe0, 0x80, 0xaf])],
    ['a surrogate in UTF-8', bytes([0xed, 0xa0, 0x80])],
    ['a code point beyond Unicode', bytes([0xf4, 0x90, 0x80, 0x80])],
    ['an unpaired high surrogate', bytes(u16le(0xfeff), u16le(0xd800), u16le(0x41))],
    ['an unpaired low surrogate', bytes(u16le(0xfeff), u16le(0xdc00))],
    ['NUL in UTF-16', bytes(u16le(0xfeff), u16le(0))],
    ['a GIF that is a script', utf8('GIF89a=1;alert(1)')],
    ['a GIF script with its size in a comment', utf8('GIF89a/*xxxxxxxxxxxxxx*/=1;alert(1)')],
    ['a GIF without size', bytes('GIF89a', [0, 0, 0, 0, 0, 0, 0, 0x3b])],
    ['a JPEG that is a script', bytes('\xff\xd8\xff\xe0alert(1)//', 'x'.repeat(30_000))],
    ['a JPEG of one segment', bytes([0xff, 0xd8], jpegSegment(0xe0, 'JFIF\0'))],
    ['a JPEG without segments', bytes([0xff, 0xd8, 0xff, 0x02, 0, 2, 0xff, 0xd9])],
    [
      'a PNG without size',
      bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(0), u32be(1), [8, 2, 0, 0, 0]), pngChunk('IDAT')),
    ],
    [
      'an oversized PNG',
      bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(0x8000_0000), u32be(1), [8, 2, 0, 0, 0]), pngChunk('IDAT')),
    ],
    [
      'a PNG of invalid colour type',
      bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(1), u32be(1), [8, 5, 0, 0, 0]), pngChunk('IDAT')),
    ],
    [
      'a PNG of invalid bit depth',
      bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(1), u32be(1), [4, 2, 0, 0, 0]), pngChunk('IDAT')),
    ],
    ['a PNG that is a script', bytes('\x89PNG\r\n\x1a\nalert(1)//')],
    ['a WebP without chunks', riff('WEBP', 'alert(1)////////')],
    ['a WebP without a frame', riff('WEBP', riffChunk('VP8 ', 'alert(1)////'))],
    ['AVI', riff('AVI ', riffChunk('LIST', 'hdrl'))],
    ['HEIC', brandedFile('heic', 'mif1', 'heic')],
    ['3GPP', brandedFile('3gp4', '3gp4')],
    ['a brand without a box after it', box('ftyp', 'mp42', u32be(0), 'isom')],
    ['a brand that is a script', bytes(box('ftyp', 'mp42', u32be(0)), '<script>')],
    ['a brand box of invalid size', bytes(u32be(9), 'ftypmp42', u32be(0), 'isom')],
    ['Matroska', bytes(webmHeader('matroska'), SEGMENT)],
    ['Matroska with a long DocType length', webmOf(bytes([0x42, 0x82], encodeSize(8, 8), 'matroska'))],
    ['a DocType with the prefix webm', webmOf(element([0x42, 0x82], 'webm2'))],
    ['a DocType longer than its header', bytes([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x85], 'webm', SEGMENT)],
    ['a DocType inside a void element', webmOf(element(VOID, element([0x42, 0x82], 'webm')))],
    ['a WebM header without a segment', bytes(webmHeader(), element(VOID, 'x'), 'alert(1)')],
    ['a void element of unknown size', bytes(webmHeader(), VOID, 0xff, 'alert(1)')],
    ['video in Ogg', oggPage(1, 0, 2, bytes('\x80theora', new Uint8Array(30)))],
    ['the middle of an Ogg', oggPage(1, 0, 0, bytes('OpusHead'))],
    ['a WAV without a format', riff('WAVE', riffChunk('data', 'x'))],
    ['one frame of MP3', mp3Frame()],
    ['frames of another layer', bytes([0xff, 0xfd, 0x90, 0x64], new Uint8Array(413), [0xff, 0xfd, 0x90, 0x64])],
    ['tags without sound', id3(3, 0, id3Frame(3, 'TIT2', 0, 'A title'))],
    ['tags before a script', bytes('ID3', [3, 0, 0, 0, 0, 0, 0], '<script>')],
    ['a Canon raw image', bytes('II*\0', u32le(16), 'CR\x02\0', u32le(0), tiffSample().slice(8))],
    [
      'an Adobe raw image',
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
    ['a BMP for printers', makeBmp(40, 0, 4)],
    ['a BMP of odd header size', makeBmp(41)],
    ['a BMP that is a script', utf8('BM=1;alert(1)//'.padEnd(80, '\u0001'))],
    ['a PDF without objects', bytes('%PDF-1.4\0<script>alert(1)</script>')],
    ['HTML with a PDF in it', utf8('<html>%PDF-1.4\n1 0 obj</html>')],
    ['a document with macros', makeZip('[Content_Types].xml', 'word/document.xml', 'word/vbaProject.bin')],
    ['a ZIP that is a script', bytes('PK\x03\x04alert(1);//'.padEnd(60, '/'))],
  ])('rejects %s', (_, content) => {
    expect(detectType(content)).toBeUndefined();
    expect(detectType(content, 'a.csv')).toBeUndefined();
  });

  it('rejects a script with the name of an image', () => {
    expect(detectType(utf8('alert(1)'), 'a.png')).toBe('text/plain');
  });
});

describe('fileType of random or truncated bytes', () => {
  const prefixes = [...ACCEPTED_FILES.map(([, , content]) => content.subarray(0, 40)), ...HTML_TEXTS.map(utf8)];
  const possibleTypes = new Set<string | undefined>([undefined, ...ALLOWED_MIMES]);

  it('returns an accepted type or undefined', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(bytes(), ...prefixes),
        fc.nat(40),
        fc.uint8Array({ maxLength: 200 }),
        (prefix, size, suffix) => {
          expect(possibleTypes.has(detectType(bytes(prefix.subarray(0, size), suffix)))).toBe(true);
        },
      ),
      { numRuns: 20_000 },
    );
  });

  it('returns text/plain for a truncated text', () => {
    const character = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
      .filter((text) => !/[\p{Cc}\p{Cs}]/u.test(text));
    fc.assert(
      fc.property(character, fc.nat(3), (content, cutBytes) => {
        const encodedText = utf8(`t${content}`);
        expect(detectType(encodedText.subarray(0, Math.max(1, encodedText.length - cutBytes)))).toBe('text/plain');
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns undefined or the type of the whole file for a truncated sample', () => {
    for (const { mime, bytes: file } of SAMPLE_FILES) {
      for (let size = 0; size < Math.min(file.length, 600); size += 1) {
        const detectedType = detectType(file.subarray(0, size));
        if (detectedType !== undefined && detectedType !== mime && size > 11)
          throw new Error(`${mime} cut at ${size} is ${detectedType}`);
      }
    }
  });
});
