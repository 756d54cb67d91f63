import { joined } from '../octets.js';
import { UnreadableFile } from './unreadable-file.js';

/** The furthest that a cutter may look ahead. */
export const LOOK_AHEAD = 0x1_0000 + 64;
/** Far more parts than any real file has; a file of nothing but empty parts would be work for minutes. */
const MOST_PARTS = 2_000_000;
const SMALL = 4_096;
const BLOCK = 0x1_0000;
const NOTHING = new Uint8Array(0);
/** Passed on again and again: a stretch of zeros takes no memory. */
const ZEROS = new Uint8Array(BLOCK);

/** Work that yields when it needs the bytes that have not come yet, and goes on when there are more, or no more. */
export type Work<Result = void> = Generator<undefined, Result, undefined>;

/** Reads a file from its beginning to its end, and says of each byte whether it goes on. */
export type Cutter = (file: Passage) => Work;

/**
 * A file on its way through. It is written without `await`, since a file may be made of millions of tiny parts: a whole
 * chunk is worked off in one go. Besides that chunk it holds at most {@link LOOK_AHEAD} bytes.
 */
export class Passage {
  /** Of the next byte in the file that comes in. */
  position = 0;
  private input: Uint8Array = NOTHING;
  private from = 0;
  private to = 0;
  private ownsInput = false;
  private isOver = false;
  private parts = 0;
  private output: Uint8Array[] = [];
  private block = NOTHING;
  private blockFrom = 0;
  private blockTo = 0;

  /** How much is here already. */
  get held(): number {
    return this.to - this.from;
  }

  give(chunk: Uint8Array): void {
    if (this.held === 0) {
      [this.input, this.from, this.to, this.ownsInput] = [chunk, 0, chunk.length, false];
      return;
    }
    if (!this.ownsInput || this.to + chunk.length > this.input.length) this.grow(chunk.length);
    this.input.set(chunk, this.to);
    this.to += chunk.length;
  }

  end(): void {
    this.isOver = true;
  }

  /** What has passed since it was last asked for. */
  taken(): Uint8Array[] {
    this.closeBlock();
    const pieces = this.output;
    this.output = [];
    return pieces;
  }

  /** Whether so many more bytes come; waits for them. */
  *holds(count: number): Work<boolean> {
    while (this.held < count && !this.isOver) yield;
    return this.held >= count;
  }

  /** What is here, or the beginning of it. Stays as it is. */
  head(count = this.held): Uint8Array {
    return this.input.subarray(this.from, Math.min(this.from + count, this.to));
  }

  /** The next bytes, fewer at the end of the file. They stay here. */
  *ahead(count: number): Work<Uint8Array> {
    yield* this.holds(count);
    return this.head(count);
  }

  write(bytes: Uint8Array): void {
    if (bytes.length >= SMALL) {
      this.closeBlock();
      this.output.push(bytes);
      return;
    }
    if (this.blockTo + bytes.length > this.block.length) {
      this.closeBlock();
      [this.block, this.blockFrom, this.blockTo] = [new Uint8Array(BLOCK), 0, 0];
    }
    this.block.set(bytes, this.blockTo);
    this.blockTo += bytes.length;
  }

  writeZeros(count: number): void {
    for (let left = count; left > 0; left -= BLOCK) this.write(ZEROS.subarray(0, left));
  }

  /** Lets the next bytes through. */
  *pass(count: number): Work {
    yield* this.each(count, (bytes) => this.write(bytes));
  }

  *drop(count: number): Work {
    yield* this.each(count, () => {});
  }

  /** Lets zeros through in place of the next bytes. */
  *blank(count: number): Work {
    yield* this.each(count, (bytes) => this.writeZeros(bytes.length));
  }

  /** Takes the next bytes out in the pieces in which they come. */
  *each(count: number, use: (bytes: Uint8Array) => void): Work {
    this.parts += 1;
    if (this.parts > MOST_PARTS) throw new UnreadableFile('Too many parts');
    let left = count;
    while (left > 0 && (this.held > 0 || (yield* this.holds(1)))) {
      const bytes = this.head(left);
      this.from += bytes.length;
      this.position += bytes.length;
      left -= bytes.length;
      use(bytes);
    }
  }

  /** Never moves bytes in place: pieces of them may have been passed on. */
  private grow(more: number): void {
    const grown = new Uint8Array(Math.max(2 * (this.held + more), SMALL));
    grown.set(this.head());
    [this.input, this.to, this.from, this.ownsInput] = [grown, this.held, 0, true];
  }

  private closeBlock(): void {
    if (this.blockTo > this.blockFrom) this.output.push(this.block.subarray(this.blockFrom, this.blockTo));
    this.blockFrom = this.blockTo;
  }
}

/** What a cutter lets through. What comes after the cutter has finished is read to its end, and does not pass. */
export async function* passed(bytes: AsyncIterable<Uint8Array>, cutter: Cutter): AsyncGenerator<Uint8Array> {
  const file = new Passage();
  const work = cutter(file);
  let isDone = work.next().done;
  for await (const chunk of bytes) {
    if (isDone || chunk.length === 0) continue;
    file.give(chunk);
    isDone = work.next().done;
    yield* file.taken();
  }
  file.end();
  if (!isDone) work.next();
  yield* file.taken();
}

/**
 * A file within a file, of so many bytes: what its cutter leaves of it, filled up with zeros to its size, so that nothing
 * after it moves. One that cannot be read is all zeros from there on.
 */
export function* within(file: Passage, size: number, cutter: Cutter): Work {
  const inner = new Passage();
  const work = cutter(inner);
  const end = file.position + size;
  let left = size;
  let isDone = false;
  const goOn = (): void => {
    try {
      isDone ||= work.next().done === true;
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      isDone = true;
    }
    for (const bytes of inner.taken()) {
      file.write(bytes.subarray(0, left));
      left -= Math.min(left, bytes.length);
    }
  };
  goOn();
  yield* file.each(size, (bytes) => {
    if (!isDone) inner.give(bytes);
    goOn();
  });
  inner.end();
  goOn();
  file.writeZeros(left - (end - file.position));
}

/** What a cutter leaves of bytes that are all here. */
export function cut(bytes: Uint8Array, cutter: Cutter): Uint8Array {
  const file = new Passage();
  file.give(bytes);
  file.end();
  cutter(file).next();
  return joined(file.taken());
}
