import fc from 'fast-check';
import { bytes, decodeText } from '../testing/file-parts.js';
import { collectBytes, streamInChunks, SAMPLE_FILES, streamOf } from '../testing/index.js';
import { chunkSizes } from '../testing/arbitraries.js';
import { concat } from '../formats/octets.js';
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

type Step = readonly ['copy' | 'drop' | 'blank' | 'look', number];

const steps = fc.array(
  fc.tuple(fc.constantFrom('copy' as const, 'drop' as const, 'blank' as const, 'look' as const), fc.nat(200)),
);

function* runSteps(file: FileStream, script: readonly Step[]): Coroutine {
  for (const [name, count] of script) {
    if (name === 'look') file.write(bytes((yield* file.lookAhead(count)).length % 256));
    else yield* file[name](count);
  }
}

function expectedOutput(content: Uint8Array, script: readonly Step[]): Uint8Array {
  let at = 0;
  const output: Uint8Array[] = [];
  for (const [name, count] of script) {
    const piece = content.slice(at, at + count);
    if (name === 'copy') output.push(piece);
    if (name === 'blank') output.push(new Uint8Array(piece.length));
    if (name === 'look') output.push(bytes(piece.length % 256));
    else at += piece.length;
  }
  return bytes(...output);
}

describe('FileStream', () => {
  it('writes the same output for all chunk sizes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 2_000 }), steps, chunkSizes, async (content, script, sizes) => {
        const output = await collectBytes(
          stripStream(streamInChunks(content, sizes), (file) => runSteps(file, script)),
        );
        expect(decodeText(output)).toBe(decodeText(expectedOutput(content, script)));
      }),
      { numRuns: 500 },
    );
  });

  it('outputs the bytes of a large chunk without copying them', async () => {
    const [firstChunk, secondChunk] = [new Uint8Array(10_000).fill(1), new Uint8Array(10_000).fill(2)];
    const pieces: Uint8Array[] = [];
    for await (const piece of stripStream(streamOf(firstChunk, secondChunk), (file) => file.copy(Infinity)))
      pieces.push(piece);
    expect(pieces.map(({ buffer }) => buffer)).toEqual([firstChunk.buffer, secondChunk.buffer]);
  });

  it('joins small writes into one chunk', () => {
    const file = new FileStream();
    for (let count = 0; count < 1_000; count += 1) file.write(bytes('abc'));
    expect(file.takeOutput().map(({ length }) => length)).toEqual([3_000]);
    expect(file.takeOutput()).toEqual([]);
  });

  it('does not change output that was already read', () => {
    const file = new FileStream();
    file.write(bytes('abc'));
    const [firstPiece] = file.takeOutput();
    file.write(bytes('def'));
    expect([decodeText(firstPiece!), ...file.takeOutput().map(decodeText)]).toEqual(['abc', 'def']);
  });

  it('rejects a file with too many parts', () => {
    const file = new FileStream();
    file.push(new Uint8Array(3_000_000));
    const dropSingleBytes = function* (): Coroutine {
      for (;;) yield* file.drop(1);
    };
    expect(() => dropSingleBytes().next()).toThrow(UnreadableFile);
  });

  it.each(STRIPPERS)('buffers at most one chunk and the look-ahead: %s', async (mime, strip) => {
    const { bytes: sample } = SAMPLE_FILES.find((file) => file.mime === mime)!;
    const chunkSize = 1_000;
    // Strippers read the filler either as the size of a part or as pixels.
    for (const filler of [0x00, 0x01, 0x7f, 0xff]) {
      for (let size = 0; size < sample.length; size += 11) {
        const file = new FileStream();
        const coroutine = strip(file);
        const content = concat([sample.subarray(0, size), new Uint8Array(3 * MAX_LOOK_AHEAD_BYTES).fill(filler)]);
        let outputBytes = 0;
        try {
          coroutine.next();
          for (let at = 0; at < content.length; at += chunkSize) {
            file.push(content.slice(at, at + chunkSize));
            if (coroutine.next().done) break;
            outputBytes += file.takeOutput().reduce((sum, piece) => sum + piece.length, 0);
            if (file.available > MAX_LOOK_AHEAD_BYTES + chunkSize)
              throw new Error(`${file.available} buffered after ${size}`);
            if (outputBytes > at + chunkSize + 64) throw new Error(`More output than input after ${size}`);
          }
        } catch (error) {
          if (!(error instanceof UnreadableFile)) throw error;
        }
      }
    }
  });
});

describe('stripNested', () => {
  const innerStripper: Stripper = function* (file) {
    yield* file.drop(3);
    yield* file.copy(4);
    if ((yield* file.lookAhead(1))[0] === 0x21) throw new UnreadableFile('!');
  };
  const outerStripper: Stripper = function* (file) {
    yield* file.copy(2);
    yield* stripNested(file, 10, innerStripper);
    yield* file.copy(Infinity);
  };

  it.each([
    ['ab...inner..cd', 'abinne\0\0\0\0\0\0cd'],
    ['ab...inne!..cd', 'abinne\0\0\0\0\0\0cd'],
    ['ab...inn', 'abinn\0\0\0'],
    ['ab...', 'ab\0\0\0'],
    ['a', 'a'],
  ])('keeps the size of %j', async (content, expected) => {
    expect(decodeText(stripBytes(bytes(content), outerStripper))).toBe(expected);
    expect(decodeText(await collectBytes(stripStream(streamInChunks(bytes(content), [1]), outerStripper)))).toBe(
      expected,
    );
  });

  it('truncates output that exceeds the size of the nested file', () => {
    const growingStripper: Stripper = function* (file) {
      file.write(bytes('0123456789'));
      yield* file.copy(Infinity);
    };
    expect(decodeText(stripBytes(bytes('abcdef'), (file) => stripNested(file, 4, growingStripper)))).toBe('0123');
  });

  it('accepts a large nested file with many parts', () => {
    const file = Buffer.alloc(20_000_000, 'x');
    const passParts: Stripper = function* (inner) {
      while (yield* inner.waitFor(1)) yield* inner.copy(150);
    };
    expect(stripBytes(file, (outer) => stripNested(outer, file.length, passParts)).at(-1)).toBe('x'.charCodeAt(0));
  });

  it('passes on errors other than `UnreadableFile`', () => {
    const failingStripper: Stripper = function* (file) {
      yield* file.copy(1);
      throw new TypeError('A bug');
    };
    expect(() => stripBytes(bytes('abcdef'), (file) => stripNested(file, 4, failingStripper))).toThrow('A bug');
  });
});
