import { bytes, PLACE, tellsPlace, text } from '../../testing/file-parts.js';
import { oggPage, oggSample, sealed, vorbisComments } from '../../testing/index.js';
import { ogg } from './ogg.js';
import { cut } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const vorbis = (...comments: readonly string[]): Uint8Array =>
  bytes(
    oggPage(1, 0, 2, bytes('\x01vorbis', new Uint8Array(23))),
    oggPage(1, 1, 0, bytes('\x03vorbis', vorbisComments(...comments)), 'tables'),
  );

describe('of an Ogg', () => {
  it('a place becomes spaces, everything else stays, and pages have their check sums', () => {
    const spaces = ' '.repeat(PLACE.length);
    const [before, expected] = ([PLACE, spaces] as const).map((value) =>
      vorbis('TITLE=A title', `Location=${value}`, 'DATE=1'),
    );
    expect(text(cut(before!, ogg))).toBe(text(expected!));
  });

  it.each(['GPS', 'GEO_LOCATION', 'recording-location', 'LATITUDE', 'Coordinates', 'XMP'])(
    'it is known by its name: %s',
    (name) => {
      expect(tellsPlace(cut(vorbis(`${name}=${PLACE}`), ogg))).toBe(false);
    },
  );

  it.each(['TITLE', 'ALLOCATED', 'GEORGE', ''])('another comment stays: %j', (name) => {
    const file = vorbis(`${name}=${PLACE}`);
    expect(text(cut(file, ogg))).toBe(text(file));
  });

  it.each([
    ['OpusHead', 'OpusTags'],
    ['\x7fFLAC', '\x84\0\0\0'],
    ['Speex   ', ''],
  ])('it is found in the sound of %j', (head, mark) => {
    const file = bytes(
      oggPage(7, 0, 2, bytes(head, new Uint8Array(20))),
      oggPage(7, 1, 0, bytes(mark, vorbisComments(`LOCATION=${PLACE}`))),
      oggPage(7, 2, 4, PLACE.toLowerCase()),
    );
    const left = cut(file, ogg);
    expect(tellsPlace(left)).toBe(false);
    expect(text(left)).toContain(PLACE.toLowerCase());
  });

  it('it is found when comments take several pages', () => {
    const comments = bytes('\x03vorbis', vorbisComments('A='.padEnd(500, 'x'), `LOCATION=${PLACE}`, 'B=y'));
    const halves = [comments.subarray(0, 510), comments.subarray(510)];
    const page = (number: number, flags: number, table: number[], body: Uint8Array): Uint8Array =>
      sealed(
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
    expect([tellsPlace(file), tellsPlace(cut(file, ogg))]).toEqual([true, false]);
  });

  it('it is found in a second sound after the first', () => {
    const file = bytes(oggSample(), oggSample());
    expect(tellsPlace(cut(file, ogg))).toBe(false);
  });
});

describe('what is no Ogg of sound', () => {
  it.each([
    ['another beginning', bytes('RIFF', new Uint8Array(40))],
    ['a film', oggPage(1, 0, 2, bytes('\x80theora', new Uint8Array(40)))],
    ['something between pages', bytes(oggSample(), new Uint8Array(40))],
    [
      'too many sounds',
      bytes(...Array.from({ length: 65 }, (_, serial) => oggPage(serial, 0, 2, bytes('OpusHead', 'x')))),
    ],
  ])('cannot be read: %s', (_, content) => {
    expect(() => cut(content, ogg)).toThrow(UnreadableFile);
  });
});
