import { concat } from '../formats/octets.js';
import { UnreadableFile } from './unreadable-file.js';

export const MAX_LOOK_AHEAD_BYTES = 0x1_0000 + 64;
/**
 * A file with more parts than this must have at least {@link MIN_PART_BYTES} per part on average, because millions of
 * empty parts would take minutes.
 */
const MAX_SMALL_PARTS = 100_000;
const MIN_PART_BYTES = 100;
const SMALL_BYTES = 4_096;
const BLOCK_BYTES = 0x1_0000;
const EMPTY = new Uint8Array(0);
const ZEROS = new Uint8Array(BLOCK_BYTES);

/** A coroutine yields to wait until more bytes arrive or the file ends. */
export type Coroutine<Result = void> = Generator<undefined, Result, undefined>;

export type Stripper = (file: FileStream) => Coroutine;

/**
 * Feeds a file to a stripper. Strippers are generators, because `await` would be slow for a chunk of many tiny parts.
 * Buffers the current chunk and at most {@link MAX_LOOK_AHEAD_BYTES}.
 */
export class FileStream {
  /** Offset of the next byte in the input file. */
  position = 0;
  private input: Uint8Array = EMPTY;
  private from = 0;
  private to = 0;
  private ownsInput = false;
  private hasEnded = false;
  /** Number of parts of this file and its nested files; counted in the outermost file. */
  private parts = 0;
  private readonly outermost: FileStream;
  private output: Uint8Array[] = [];
  private block = EMPTY;
  private blockFrom = 0;
  private blockTo = 0;

  constructor(parent?: FileStream) {
    this.outermost = parent?.outermost ?? this;
  }

  get available(): number {
    return this.to - this.from;
  }

  push(chunk: Uint8Array): void {
    if (this.available === 0) {
      [this.input, this.from, this.to, this.ownsInput] = [chunk, 0, chunk.length, false];
      return;
    }
    if (!this.ownsInput || this.to + chunk.length > this.input.length) this.grow(chunk.length);
    this.input.set(chunk, this.to);
    this.to += chunk.length;
  }

  end(): void {
    this.hasEnded = true;
  }

  takeOutput(): Uint8Array[] {
    this.flushBlock();
    const pieces = this.output;
    this.output = [];
    return pieces;
  }

  /** Waits for `count` bytes; returns false when the file has fewer bytes left. */
  *waitFor(count: number): Coroutine<boolean> {
    while (this.available < count && !this.hasEnded) yield;
    return this.available >= count;
  }

  peek(count = this.available): Uint8Array {
    return this.input.subarray(this.from, Math.min(this.from + count, this.to));
  }

  *lookAhead(count: number): Coroutine<Uint8Array> {
    yield* this.waitFor(count);
    return this.peek(count);
  }

  write(bytes: Uint8Array): void {
    if (bytes.length >= SMALL_BYTES) {
      this.flushBlock();
      this.output.push(bytes);
      return;
    }
    if (this.blockTo + bytes.length > this.block.length) {
      this.flushBlock();
      [this.block, this.blockFrom, this.blockTo] = [new Uint8Array(BLOCK_BYTES), 0, 0];
    }
    this.block.set(bytes, this.blockTo);
    this.blockTo += bytes.length;
  }

  writeZeros(count: number): void {
    for (let remaining = count; remaining > 0; remaining -= BLOCK_BYTES) this.write(ZEROS.subarray(0, remaining));
  }

  *copy(count: number): Coroutine {
    yield* this.consume(count, (bytes) => this.write(bytes));
  }

  *drop(count: number): Coroutine {
    yield* this.consume(count, () => {});
  }

  *blank(count: number): Coroutine {
    yield* this.consume(count, (bytes) => this.writeZeros(bytes.length));
  }

  *consume(count: number, use: (bytes: Uint8Array) => void): Coroutine {
    this.countPart();
    let remaining = count;
    while (remaining > 0 && (this.available > 0 || (yield* this.waitFor(1)))) {
      const bytes = this.peek(remaining);
      this.from += bytes.length;
      this.position += bytes.length;
      remaining -= bytes.length;
      use(bytes);
    }
  }

  private countPart(): void {
    const file = this.outermost;
    file.parts += 1;
    if (file.parts > MAX_SMALL_PARTS + file.position / MIN_PART_BYTES) throw new UnreadableFile('Too many parts');
  }

  /** Allocates a new buffer, because earlier output may refer to bytes of the old one. */
  private grow(addedBytes: number): void {
    const grownInput = new Uint8Array(Math.max(2 * (this.available + addedBytes), SMALL_BYTES));
    grownInput.set(this.peek());
    [this.input, this.to, this.from, this.ownsInput] = [grownInput, this.available, 0, true];
  }

  private flushBlock(): void {
    if (this.blockTo > this.blockFrom) this.output.push(this.block.subarray(this.blockFrom, this.blockTo));
    this.blockFrom = this.blockTo;
  }
}

/** Yields the output of the stripper. Reads the source to its end, but drops bytes that the stripper does not need. */
export async function* stripStream(bytes: AsyncIterable<Uint8Array>, strip: Stripper): AsyncGenerator<Uint8Array> {
  const file = new FileStream();
  const coroutine = strip(file);
  let isDone = coroutine.next().done;
  for await (const chunk of bytes) {
    if (isDone || chunk.length === 0) continue;
    file.push(chunk);
    isDone = coroutine.next().done;
    yield* file.takeOutput();
  }
  file.end();
  if (!isDone) coroutine.next();
  yield* file.takeOutput();
}

/**
 * Strips a nested file of `size` bytes. Pads the output with zeros to `size`, so that later offsets stay valid. If the
 * nested file is unreadable, replaces it by zeros from its first unreadable byte on.
 */
export function* stripNested(file: FileStream, size: number, strip: Stripper): Coroutine {
  const inner = new FileStream(file);
  const coroutine = strip(inner);
  const end = file.position + size;
  let remaining = size;
  let isDone = false;
  const resume = (): void => {
    try {
      isDone ||= coroutine.next().done === true;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      isDone = true;
    }
    for (const bytes of inner.takeOutput()) {
      file.write(bytes.subarray(0, remaining));
      remaining -= Math.min(remaining, bytes.length);
    }
  };
  resume();
  yield* file.consume(size, (bytes) => {
    if (!isDone) inner.push(bytes);
    resume();
  });
  inner.end();
  resume();
  file.writeZeros(remaining - (end - file.position));
}

export function stripBytes(bytes: Uint8Array, strip: Stripper): Uint8Array {
  const file = new FileStream();
  file.push(bytes);
  file.end();
  strip(file).next();
  return concat(file.takeOutput());
}
