import { bytes, LOCATION, hasLocation, decodeText } from '../testing/file-parts.js';
import { oggPage, oggSample, withCrc, vorbisComments } from '../testing/index.js';
import { stripOgg } from './ogg.js';
import { stripBytes } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

const makeVorbis = (...comments: readonly string[]): Uint8Array =>
  bytes(
    oggPage(1, 0, 2, bytes('\x01vorbis', new Uint8Array(23))),
    oggPage(1, 1, 0, bytes('\x03vorbis', vorbisComments(...comments)), 'tables'),
  );

describe('stripOgg', () => {
  it('replaces a location with spaces and updates the checksum', () => {
    const spaces = ' '.repeat(LOCATION.length);
    const [before, expected] = ([LOCATION, spaces] as const).map((value) =>
      makeVorbis('TITLE=A title', `Location=${value}`, 'DATE=1'),
    );
    expect(decodeText(stripBytes(before!, stripOgg))).toBe(decodeText(expected!));
  });

  it.each(['GPS', 'GEO_LOCATION', 'recording-location', 'LATITUDE', 'Coordinates', 'XMP'])(
    'blanks the location comment %s',
    (name) => {
      expect(hasLocation(stripBytes(makeVorbis(`${name}=${LOCATION}`), stripOgg))).toBe(false);
    },
  );

  it.each(['TITLE', 'ALLOCATED', 'GEORGE', ''])('keeps the comment %j', (name) => {
    const file = makeVorbis(`${name}=${LOCATION}`);
    expect(decodeText(stripBytes(file, stripOgg))).toBe(decodeText(file));
  });

  it.each([
    ['OpusHead', 'OpusTags'],
    ['\x7fFLAC', '\x84\0\0\0'],
    ['Speex   ', ''],
  ])('reads the comments of %j', (head, mark) => {
    const file = bytes(
      oggPage(7, 0, 2, bytes(head, new Uint8Array(20))),
      oggPage(7, 1, 0, bytes(mark, vorbisComments(`LOCATION=${LOCATION}`))),
      oggPage(7, 2, 4, LOCATION.toLowerCase()),
    );
    const strippedFile = stripBytes(file, stripOgg);
    expect(hasLocation(strippedFile)).toBe(false);
    expect(decodeText(strippedFile)).toContain(LOCATION.toLowerCase());
  });

  it('reads comments that span pages', () => {
    const comments = bytes('\x03vorbis', vorbisComments('A='.padEnd(500, 'x'), `LOCATION=${LOCATION}`, 'B=y'));
    const halves = [comments.subarray(0, 510), comments.subarray(510)];
    const page = (number: number, flags: number, table: number[], body: Uint8Array): Uint8Array =>
      withCrc(
        bytes(
          'OggS',
          0,
          flags,
          new Uint8Array(8),
          [1, 0, 0, 0],
          [number, 0, 0, 0],
          [0, 0, 0, 0],
          table.length,
          table,
          body,
        ),
      );
    const file = bytes(
      oggPage(1, 0, 2, bytes('\x01vorbis', new Uint8Array(23))),
      page(1, 0, [255, 255], halves[0]!),
      page(2, 1, [halves[1]!.length], halves[1]!),
    );
    expect([hasLocation(file), hasLocation(stripBytes(file, stripOgg))]).toEqual([true, false]);
  });

  it('reads chained streams', () => {
    const file = bytes(oggSample(), oggSample());
    expect(hasLocation(stripBytes(file, stripOgg))).toBe(false);
  });

  it.each([
    ['another signature', bytes('RIFF', new Uint8Array(40))],
    ['video', oggPage(1, 0, 2, bytes('\x80theora', new Uint8Array(40)))],
    ['bytes between pages', bytes(oggSample(), new Uint8Array(40))],
    [
      'too many streams',
      bytes(...Array.from({ length: 65 }, (_, serial) => oggPage(serial, 0, 2, bytes('OpusHead', 'x')))),
    ],
  ])('rejects %s', (_, content) => {
    expect(() => stripBytes(content, stripOgg)).toThrow(UnreadableFile);
  });
});
