import fc from 'fast-check';
import { bytes, text } from '../../testing/file-parts.js';
import { collected, inPieces, pieceSizes, SAMPLE_FILES, streamed } from '../../testing/index.js';
import { joined } from '../octets.js';
import { gif } from './gif.js';
import { isoMedia } from './iso-media.js';
import { jpeg } from './jpeg.js';
import { mp3 } from './mp3.js';
import { ogg } from './ogg.js';
import { cut, LOOK_AHEAD, Passage, passed, within, type Cutter, type Work } from './passage.js';
import { png } from './png.js';
import { wav, webp } from './riff.js';
import { UnreadableFile } from './unreadable-file.js';
import { webm } from './webm.js';

const CUTTERS: readonly (readonly [string, Cutter])[] = [
  ['image/jpeg', jpeg],
  ['image/png', png],
  ['image/webp', webp],
  ['image/gif', gif],
  ['video/mp4', isoMedia],
  ['video/webm', webm],
  ['audio/mpeg', mp3],
  ['audio/ogg', ogg],
  ['audio/wav', wav],
];

type Step = readonly ['pass' | 'drop' | 'blank' | 'look', number];

const steps = fc.array(
  fc.tuple(fc.constantFrom('pass' as const, 'drop' as const, 'blank' as const, 'look' as const), fc.nat(200)),
);

function* walk(file: Passage, way: readonly Step[]): Work {
  for (const [name, count] of way) {
    if (name === 'look') file.write(bytes((yield* file.ahead(count)).length % 256));
    else yield* file[name](count);
  }
}

/** What {@link walk} is to do, on bytes that are all here. */
function expected(content: Uint8Array, way: readonly Step[]): Uint8Array {
  let at = 0;
  const left: Uint8Array[] = [];
  for (const [name, count] of way) {
    const piece = content.slice(at, at + count);
    if (name === 'pass') left.push(piece);
    if (name === 'blank') left.push(new Uint8Array(piece.length));
    if (name === 'look') left.push(bytes(piece.length % 256));
    else at += piece.length;
  }
  return bytes(...left);
}

describe('a file on its way through', () => {
  it('is passed, dropped and blanked the same in whatever pieces it comes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), steps, pieceSizes, async (content, way, sizes) => {
        const left = await collected(passed(inPieces(content, sizes), (file) => walk(file, way)));
        expect(text(left)).toBe(text(expected(content, way)));
      }),
      { numRuns: 500 },
    );
  });

  it('passes long stretches in the pieces in which they came', async () => {
    const [one, two] = [new Uint8Array(10_000).fill(1), new Uint8Array(10_000).fill(2)];
    const pieces: Uint8Array[] = [];
    for await (const piece of passed(streamed(one, two), (file) => file.pass(Infinity))) pieces.push(piece);
    expect(pieces.map(({ buffer }) => buffer)).toEqual([one.buffer, two.buffer]);
  });

  it('gives many small pieces away as few', () => {
    const file = new Passage();
    for (let count = 0; count < 1_000; count += 1) file.write(bytes('abc'));
    expect(file.taken().map(({ length }) => length)).toEqual([3_000]);
    expect(file.taken()).toEqual([]);
  });

  it('does not pass on what it writes later in what it gave away before', () => {
    const file = new Passage();
    file.write(bytes('abc'));
    const [first] = file.taken();
    file.write(bytes('def'));
    expect([text(first!), ...file.taken().map(text)]).toEqual(['abc', 'def']);
  });

  it('of more parts than any real file is refused', () => {
    const file = new Passage();
    file.give(new Uint8Array(3_000_000));
    const tiny = function* (): Work {
      for (;;) yield* file.drop(1);
    };
    expect(() => tiny().next()).toThrow(UnreadableFile);
  });

  it.each(CUTTERS)('is never held beyond a chunk and what is looked ahead: %s', async (mime, cutter) => {
    const { bytes: sample } = SAMPLE_FILES.find((file) => file.mime === mime)!;
    const chunk = 1_000;
    // What follows looks like the largest part that the type can have, and like pixels.
    for (const filler of [0x00, 0x01, 0x7f, 0xff]) {
      for (let size = 0; size < sample.length; size += 11) {
        const file = new Passage();
        const work = cutter(file);
        const whole = joined([sample.subarray(0, size), new Uint8Array(3 * LOOK_AHEAD).fill(filler)]);
        let passedOn = 0;
        try {
          work.next();
          for (let at = 0; at < whole.length; at += chunk) {
            file.give(whole.slice(at, at + chunk));
            if (work.next().done) break;
            passedOn += file.taken().reduce((sum, piece) => sum + piece.length, 0);
            if (file.held > LOOK_AHEAD + chunk) throw new Error(`${file.held} are held after ${size}`);
            if (passedOn > at + chunk + 64) throw new Error(`More came out than went in after ${size}`);
          }
        } catch (error) {
          if (!(error instanceof UnreadableFile)) throw error;
        }
      }
    }
  });
});

describe('a file within a file', () => {
  const inner: Cutter = function* (file) {
    yield* file.drop(3);
    yield* file.pass(4);
    if ((yield* file.ahead(1))[0] === 0x21) throw new UnreadableFile('!');
  };
  const outer: Cutter = function* (file) {
    yield* file.pass(2);
    yield* within(file, 10, inner);
    yield* file.pass(Infinity);
  };

  it.each([
    ['ab...inner..cd', 'abinne\0\0\0\0\0\0cd'],
    ['ab...inne!..cd', 'abinne\0\0\0\0\0\0cd'],
    ['ab...inn', 'abinn\0\0\0'],
    ['ab...', 'ab\0\0\0'],
    ['a', 'a'],
  ])('keeps its size: %j', async (content, left) => {
    expect(text(cut(bytes(content), outer))).toBe(left);
    expect(text(await collected(passed(inPieces(bytes(content), [1]), outer)))).toBe(left);
  });

  it('does not grow', () => {
    const growing: Cutter = function* (file) {
      file.write(bytes('0123456789'));
      yield* file.pass(Infinity);
    };
    expect(text(cut(bytes('abcdef'), (file) => within(file, 4, growing)))).toBe('0123');
  });

  it('passes on a failure of another kind', () => {
    const failing: Cutter = function* (file) {
      yield* file.pass(1);
      throw new TypeError('A mistake');
    };
    expect(() => cut(bytes('abcdef'), (file) => within(file, 4, failing))).toThrow('A mistake');
  });
});
