import fc from 'fast-check';
import { bytes, decodeText } from '../testing/file-parts.js';
import { collectBytes, streamInChunks, SAMPLE_FILES, streamOf } from '../testing/index.js';
import { chunkSizes } from '../testing/arbitraries.js';
import { concat } from '../octets.js';
import { stripGif } from './gif.js';
import { stripIsoMedia } from './iso-media.js';
import { stripJpeg } from './jpeg.js';
import { stripMp3 } from './mp3.js';
import { stripOgg } from './ogg.js';
import {
  stripBytes,
  MAX_LOOK_AHEAD_BYTES,
  FileStream,
  stripStream,
  stripNested,
  type Stripper,
  type Coroutine,
} from './file-stream.js';
import { stripPng } from './png.js';
import { stripWav, stripWebp } from './riff.js';
import { UnreadableFile } from './unreadable-file.js';
import { stripWebm } from './webm.js';

const STRIPPERS: readonly (readonly [string, Stripper])[] = [
  ['image/jpeg', stripJpeg],
  ['image/png', stripPng],
  ['image/webp', stripWebp],
  ['image/gif', stripGif],
  ['video/mp4', stripIsoMedia],
  ['video/webm', stripWebm],
  ['audio/mpeg', stripMp3],
  ['audio/ogg', stripOgg],
  ['audio/wav', stripWav],
];

type Step = readonly ['pass' | 'drop' | 'blank' | 'look', number];

const steps = fc.array(
  fc.tuple(fc.constantFrom('pass' as const, 'drop' as const, 'blank' as const, 'look' as const), fc.nat(200)),
);

function* walk(file: FileStream, path: readonly Step[]): Coroutine {
  for (const [name, count] of path) {
    if (name === 'look') file.write(bytes((yield* file.lookAhead(count)).length % 256));
    else yield* file[name](count);
  }
}

/** Output that {@link walk} should have. */
function expected(content: Uint8Array, path: readonly Step[]): Uint8Array {
  let at = 0;
  const left: Uint8Array[] = [];
  for (const [name, count] of path) {
    const piece = content.slice(at, at + count);
    if (name === 'pass') left.push(piece);
    if (name === 'blank') left.push(new Uint8Array(piece.length));
    if (name === 'look') left.push(bytes(piece.length % 256));
    else at += piece.length;
  }
  return bytes(...left);
}

describe('FileStream', () => {
  it('gives the same output for any chunk sizes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), steps, chunkSizes, async (content, path, sizes) => {
        const left = await collectBytes(stripStream(streamInChunks(content, sizes), (file) => walk(file, path)));
        expect(decodeText(left)).toBe(decodeText(expected(content, path)));
      }),
      { numRuns: 500 },
    );
  });

  it('passes large chunks without copying', async () => {
    const [one, two] = [new Uint8Array(10_000).fill(1), new Uint8Array(10_000).fill(2)];
    const pieces: Uint8Array[] = [];
    for await (const piece of stripStream(streamOf(one, two), (file) => file.pass(Infinity))) pieces.push(piece);
    expect(pieces.map(({ buffer }) => buffer)).toEqual([one.buffer, two.buffer]);
  });

  it('joins many small writes', () => {
    const file = new FileStream();
    for (let count = 0; count < 1_000; count += 1) file.write(bytes('abc'));
    expect(file.takeOutput().map(({ length }) => length)).toEqual([3_000]);
    expect(file.takeOutput()).toEqual([]);
  });

  it('never writes into output that was taken', () => {
    const file = new FileStream();
    file.write(bytes('abc'));
    const [first] = file.takeOutput();
    file.write(bytes('def'));
    expect([decodeText(first!), ...file.takeOutput().map(decodeText)]).toEqual(['abc', 'def']);
  });

  it('rejects a file of too many parts', () => {
    const file = new FileStream();
    file.push(new Uint8Array(3_000_000));
    const tiny = function* (): Coroutine {
      for (;;) yield* file.drop(1);
    };
    expect(() => tiny().next()).toThrow(UnreadableFile);
  });

  it.each(STRIPPERS)('buffers one chunk and the look-ahead at most: %s', async (mime, strip) => {
    const { bytes: sample } = SAMPLE_FILES.find((file) => file.mime === mime)!;
    const chunk = 1_000;
    // The filler reads as the largest possible part, and as pixels.
    for (const filler of [0x00, 0x01, 0x7f, 0xff]) {
      for (let size = 0; size < sample.length; size += 11) {
        const file = new FileStream();
        const run = strip(file);
        const whole = concat([sample.subarray(0, size), new Uint8Array(3 * MAX_LOOK_AHEAD_BYTES).fill(filler)]);
        let passedOn = 0;
        try {
          run.next();
          for (let at = 0; at < whole.length; at += chunk) {
            file.push(whole.slice(at, at + chunk));
            if (run.next().done) break;
            passedOn += file.takeOutput().reduce((sum, piece) => sum + piece.length, 0);
            if (file.available > MAX_LOOK_AHEAD_BYTES + chunk)
              throw new Error(`${file.available} buffered after ${size}`);
            if (passedOn > at + chunk + 64) throw new Error(`More output than input after ${size}`);
          }
        } catch (error) {
          if (!(error instanceof UnreadableFile)) throw error;
        }
      }
    }
  });
});

describe('stripNested', () => {
  const inner: Stripper = function* (file) {
    yield* file.drop(3);
    yield* file.pass(4);
    if ((yield* file.lookAhead(1))[0] === 0x21) throw new UnreadableFile('!');
  };
  const outer: Stripper = function* (file) {
    yield* file.pass(2);
    yield* stripNested(file, 10, inner);
    yield* file.pass(Infinity);
  };

  it.each([
    ['ab...inner..cd', 'abinne\0\0\0\0\0\0cd'],
    ['ab...inne!..cd', 'abinne\0\0\0\0\0\0cd'],
    ['ab...inn', 'abinn\0\0\0'],
    ['ab...', 'ab\0\0\0'],
    ['a', 'a'],
  ])('keeps the size of %j', async (content, left) => {
    expect(decodeText(stripBytes(bytes(content), outer))).toBe(left);
    expect(decodeText(await collectBytes(stripStream(streamInChunks(bytes(content), [1]), outer)))).toBe(left);
  });

  it('cuts output beyond the size', () => {
    const growing: Stripper = function* (file) {
      file.write(bytes('0123456789'));
      yield* file.pass(Infinity);
    };
    expect(decodeText(stripBytes(bytes('abcdef'), (file) => stripNested(file, 4, growing)))).toBe('0123');
  });

  it('passes on other errors', () => {
    const failing: Stripper = function* (file) {
      yield* file.pass(1);
      throw new TypeError('A bug');
    };
    expect(() => stripBytes(bytes('abcdef'), (file) => stripNested(file, 4, failing))).toThrow('A bug');
  });
});
