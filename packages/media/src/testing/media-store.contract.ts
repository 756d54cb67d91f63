import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { ByteRange, MediaStore } from '../index.js';
import { concat } from '../formats/octets.js';

export interface StoreFixture {
  readonly store: MediaStore;
  close(): Promise<void>;
  /** Unreachable store of the same kind. Without it, the contract skips the failure of `ping`. */
  readonly unreachable?: MediaStore;
  /** Store whose back end never answers. Every call must throw. */
  readonly offline?: MediaStore;
  /** True when `close` removes all objects. Otherwise the contract removes the objects that it has stored. */
  readonly isTemporary?: boolean;
  readonly isMemory?: boolean;
  mimeOf?(key: string): Promise<string | undefined>;
  /** Returns the number of bytes that the back end holds; may collect garbage first. */
  heldBytes?(): Promise<number>;
  /** Returns the number of open files and connections, including those left to the garbage collector. */
  openFiles?(): Promise<number>;
  /** Returns the number of bytes that the back end has sent. */
  sentBytes?(): number;
  /** Opens a second store of the same kind, which the tests can close. */
  openOther?(): Promise<{ readonly store: MediaStore; close(): Promise<void> }>;
  /** Simulates a crash during a write, sets the age of its leftovers to more than a day, and opens the store again. */
  reopenAfterCrash?(): Promise<MediaStore>;
}

const MEGABYTE = 2 ** 20;
const MIME = 'application/octet-stream';
/** Exceeds the page size of a list in every known store. */
const LONG_LIST_LENGTH = 1_001;
/** Exceeds the number of connections in a pool. */
const CALLS_BEYOND_POOL = 24;
/** Maximum number of files that other code in the process may open during the test. */
const MAX_OTHER_FILES = 8;
/** Within this time, both sides notice that a connection was closed. */
const CLOSING_MS = 300;

/**
 * Tests for every adapter of {@link MediaStore}. The store may hold other objects: keys are random, and the tests
 * remove them at the end. Example: `mediaStoreContract(runnerOf(globalThis), open)` in a test file.
 */
export function mediaStoreContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<StoreFixture>,
): void {
  let fixture: StoreFixture;
  let store: MediaStore;
  const root = `contract-${Math.random().toString(36).slice(2, 12)}`;
  let folder = '';
  let folderCount = 0;

  before(async () => {
    fixture = await open();
    store = fixture.store;
  });
  after(async () => {
    if (!fixture.isTemporary) for await (const { key } of store.list(`${root}/`)) await store.remove(key);
    await fixture.close();
  });
  beforeEach(() => {
    folderCount += 1;
    folder = `${root}/t${folderCount}`;
  });

  const key = (name: string): string => `${folder}/${name}`;
  const put = (name: string, bytes: AsyncIterable<Uint8Array> | string): Promise<number> =>
    store.put(key(name), typeof bytes === 'string' ? chunks(bytes) : bytes, MIME);
  const readText = async (name: string, range?: ByteRange): Promise<string | undefined> => {
    const storedBytes = await store.read(key(name), range);
    return storedBytes && new TextDecoder().decode(await collectBytes(storedBytes.bytes));
  };
  const readSize = async (name: string, range?: ByteRange): Promise<number | undefined> => {
    const storedBytes = await store.read(key(name), range);
    if (storedBytes) await collectBytes(storedBytes.bytes);
    return storedBytes?.size;
  };
  const putZeros = (name: string, megabytes: number, onChunk = (): void => {}): Promise<number> =>
    store.put(key(name), zeroChunks(megabytes, onChunk), MIME);
  const listKeys = async (prefix = `${folder}/`): Promise<string[]> => {
    const keys: string[] = [];
    for await (const object of store.list(prefix)) keys.push(object.key);
    return keys.sort();
  };

  describe('put', () => {
    it('stores an object and returns its size', async () => {
      expect(await put('a.txt', 'hello')).toBe(5);
      expect(await readText('a.txt')).toBe('hello');
      expect(await readSize('a.txt')).toBe(5);
    });

    it('stores an empty object', async () => {
      expect(await put('empty', chunks())).toBe(0);
      expect(await readText('empty')).toBe('');
    });

    it('replaces an object', async () => {
      await put('a.txt', 'a much longer text than before');
      await put('a.txt', 'new');
      expect(await readText('a.txt')).toBe('new');
    });

    it('stores many chunks in order', async () => {
      const size = 12 * MEGABYTE + 7;
      expect(await store.put(key('large'), countingChunks(size), MIME)).toBe(size);
      const storedBytes = await store.read(key('large'));
      // Collects all chunks first, to detect a store that reuses the memory of its chunks.
      expect(isCountingSequence(await collectBytes(storedBytes!.bytes), size)).toBe(true);
    }, 60_000);

    it('stores many small chunks in order', async () => {
      const size = 4_000;
      expect(await store.put(key('small'), singleBytes(size), MIME)).toBe(size);
      const storedBytes = await store.read(key('small'));
      expect(isCountingSequence(await collectBytes(storedBytes!.bytes), size)).toBe(true);
    }, 60_000);

    it('streams the object when it writes and reads', async () => {
      if (fixture.isMemory) return;
      const size = 96;
      const writePeak = new MemoryPeak();
      await putZeros('large', size, () => writePeak.sample());
      expect(writePeak.growthMegabytes()).toBeLessThan(MAX_GROWTH * size);
      const readPeak = new MemoryPeak();
      let readBytes = 0;
      for await (const chunk of (await store.read(key('large')))!.bytes) {
        readBytes += chunk.length;
        readPeak.sample();
      }
      expect(readBytes).toBe(size * MEGABYTE);
      expect(readPeak.growthMegabytes()).toBeLessThan(MAX_GROWTH * size);
    }, 60_000);

    it('stores the type, which copies keep', async () => {
      if (fixture.mimeOf === undefined) return;
      await store.put(key('a'), chunks('x'), 'image/webp');
      await store.copy(key('a'), key('b'));
      expect([await fixture.mimeOf(key('a')), await fixture.mimeOf(key('b'))]).toEqual(['image/webp', 'image/webp']);
    });

    it('accepts every valid key', async () => {
      for (const name of [
        'x-2.webp',
        'x@320.jpg',
        'a.b_c-d',
        'a..b',
        'deep/er/and/deeper/x',
        `${'n'.repeat(200)}.jpeg`,
      ]) {
        await put(name, name);
        expect(await readText(name)).toBe(name);
      }
    });

    it('stores two objects when one key is a prefix of the other', async () => {
      await put('a', 'one');
      await put('ab', 'two');
      expect([await readText('a'), await readText('ab')]).toEqual(['one', 'two']);
    });

    it('stores exactly one of several objects that are put under one key concurrently, with all its bytes', async () => {
      const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200_000));
      await Promise.all(texts.map((content) => put('raced', content)));
      expect(texts).toContain(await readText('raced'));
    });
  });

  describe('a put with a failing source', () => {
    const failingSource = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100_000);
      await Promise.resolve();
      throw new Error('the client hung up');
    };

    it('passes on the error and stores nothing', async () => {
      await expect(put('cut', failingSource())).rejects.toThrow('the client hung up');
      expect(await readText('cut')).toBeUndefined();
      expect(await listKeys()).toEqual([]);
    });

    it('keeps the old object', async () => {
      await put('cut', 'before');
      await expect(put('cut', failingSource())).rejects.toThrow('the client hung up');
      expect(await readText('cut')).toBe('before');
    });

    it('releases its connection', async () => {
      for (let call = 0; call < CALLS_BEYOND_POOL; call += 1) await put('cut', failingSource()).catch(() => {});
      await put('after', 'x');
      expect(await readText('after')).toBe('x');
    }, 60_000);
  });

  describe('a reader of an object', () => {
    const readSlowly = async (interrupt: () => Promise<unknown>): Promise<string> => {
      const storedBytes = await store.read(key('a'));
      const parts: Uint8Array[] = [];
      for await (const chunk of storedBytes!.bytes) {
        if (parts.length === 0) await interrupt();
        parts.push(chunk);
      }
      return new Set(concat(parts)).size === 1 ? `${concat(parts).length} of ${concat(parts)[0]}` : 'a mixture';
    };

    it('gets the whole old object or an error when the object is replaced', async () => {
      const makeChunks = (byte: number) => chunksOf(new Uint8Array(4 * MEGABYTE).fill(byte));
      await store.put(key('a'), makeChunks(1), MIME);
      const result = readSlowly(() => store.put(key('a'), makeChunks(2), MIME)).catch(() => 'cut off');
      expect(['cut off', `${4 * MEGABYTE} of 1`]).toContain(await result);
      expect(await readSlowly(() => Promise.resolve())).toBe(`${4 * MEGABYTE} of 2`);
    }, 60_000);

    it('releases its connection when it stops early', async () => {
      await putZeros('large', 2);
      for (let call = 0; call < CALLS_BEYOND_POOL; call += 1)
        for await (const chunk of (await store.read(key('large')))!.bytes) if (chunk.length > 0) break;
      await put('after', 'x');
      expect(await readText('after')).toBe('x');
    }, 60_000);
  });

  describe('a read of a range', () => {
    beforeEach(() => put('a', '0123456789'));

    eachCase(it, [
      [{ first: 0, last: 0 }, '0'],
      [{ first: 2, last: 4 }, '234'],
      [{ first: 9, last: 9 }, '9'],
      [{ first: 8, last: 99 }, '89'],
      [{ first: 0, last: 9 }, '0123456789'],
      [{ first: 10, last: 12 }, ''],
    ])('of %j returns the bytes %j', async (range, expected) => {
      expect(await readText('a', range)).toBe(expected);
      expect(await readSize('a', range)).toBe(10);
    });

    it('does not request the rest of the object', async () => {
      if (fixture.sentBytes === undefined) return;
      await putZeros('large', 2);
      const earlierBytes = fixture.sentBytes();
      expect(await readText('large', { first: 5, last: 9 })).toHaveLength(5);
      expect(fixture.sentBytes() - earlierBytes).toBeLessThan(MEGABYTE);
    });
  });

  describe('a missing object', () => {
    it('is neither read nor copied, and may be removed', async () => {
      expect(await store.read(key('none'))).toBeUndefined();
      expect(await store.read(key('none'), { first: 0, last: 1 })).toBeUndefined();
      expect(await store.copy(key('none'), key('other'))).toBe(false);
      await store.remove(key('none'));
      expect(await listKeys()).toEqual([]);
    });

    it('is not read at a key below the key of another object', async () => {
      await put('a', 'x');
      expect(await store.read(key('a/b'))).toBeUndefined();
      expect(await store.copy(key('a/b'), key('c'))).toBe(false);
    });

    it('is not read at the key of a folder', async () => {
      await put('folder/a', 'x');
      expect(await store.read(key('folder'))).toBeUndefined();
      await store.remove(key('folder'));
      expect(await readText('folder/a')).toBe('x');
    });
  });

  describe('a copy of an object', () => {
    it('has the same content, and keeps it when the original changes', async () => {
      await put('a', 'content');
      expect(await store.copy(key('a'), key('versions/1'))).toBe(true);
      await put('a', 'changed');
      expect([await readText('a'), await readText('versions/1')]).toEqual(['changed', 'content']);
    });

    it('replaces an object', async () => {
      await put('a', 'new');
      await put('b', 'old and longer');
      await store.copy(key('a'), key('b'));
      expect(await readText('b')).toBe('new');
    });
  });

  describe('a removed object', () => {
    it('is gone and can be stored again', async () => {
      await put('a', 'x');
      await store.remove(key('a'));
      await store.remove(key('a'));
      expect(await readText('a')).toBeUndefined();
      await put('a', 'y');
      expect(await readText('a')).toBe('y');
    });

    it('cannot be read once the call has returned', async () => {
      for (let call = 0; call < CALLS_BEYOND_POOL; call += 1) {
        await put('a', 'x');
        await store.remove(key('a'));
        expect(await readText('a')).toBeUndefined();
      }
    }, 60_000);

    it('frees its bytes, as a replaced object does', async () => {
      if (fixture.heldBytes === undefined) return;
      const initialBytes = await fixture.heldBytes();
      await putZeros('a', 4);
      await putZeros('a', 4);
      expect((await fixture.heldBytes()) - initialBytes).toBeLessThan(6 * MEGABYTE);
      await store.remove(key('a'));
      expect((await fixture.heldBytes()) - initialBytes).toBeLessThan(MEGABYTE);
    }, 60_000);
  });

  describe('a list of objects', () => {
    it('has all objects with the prefix, with size and time', async () => {
      await put('a', '1');
      await put('b/c', '22');
      await put('bd', '333');
      expect(await listKeys()).toEqual([key('a'), key('b/c'), key('bd')]);
      expect(await listKeys(key('b'))).toEqual([key('b/c'), key('bd')]);
      expect(await listKeys(key('b/'))).toEqual([key('b/c')]);
      expect(await listKeys(root.slice(0, -1))).toEqual(expect.arrayContaining([key('a'), key('b/c')]));
      for await (const object of store.list(key('a'))) {
        expect(object.size).toBe(1);
        expect(Math.abs(object.writtenAt.getTime() - Date.now())).toBeLessThan(120_000);
      }
    });

    it('treats the prefix literally', async () => {
      const names = ['a_b', 'axb', 'a.b', 'a-b', 'a@b', 'ab'];
      for (const name of names) await put(`${name}/x`, '1');
      for (const name of names) expect(await listKeys(key(name))).toEqual([key(`${name}/x`)]);
    });

    it('is complete beyond one page', async () => {
      const names = Array.from({ length: LONG_LIST_LENGTH }, (_, index) => `n${index}`);
      for (let at = 0; at < LONG_LIST_LENGTH; at += CALLS_BEYOND_POOL)
        await Promise.all(names.slice(at, at + CALLS_BEYOND_POOL).map((name) => put(name, '1')));
      expect(await listKeys()).toEqual(names.map(key).sort());
    }, 60_000);
  });

  describe('the back end of the store', () => {
    it('has no bytes of removed objects', async () => {
      if (fixture.heldBytes === undefined) return;
      const initialBytes = await fixture.heldBytes();
      await putZeros('a', 2);
      for (const to of ['b', 'b']) await store.copy(key('a'), key(to));
      await Promise.all(['a', 'b'].map((name) => store.remove(key(name))));
      expect(await fixture.heldBytes()).toBe(initialBytes);
    }, 60_000);

    it('has no open file after a call', async () => {
      if (fixture.openFiles === undefined) return;
      await put('a', 'x');
      await put('folder/a', 'x');
      const initialFiles = await fixture.openFiles();
      for (let call = 0; call < CALLS_BEYOND_POOL; call += 1) {
        await put('b', 'xyz');
        await readText('b');
        await readText('b', { first: 99, last: 100 });
        await store.read(key('folder'));
        await store.copy(key('b'), key('c'));
        await listKeys();
        await store.ping();
      }
      expect(await fixture.openFiles()).toBeLessThan(initialFiles + MAX_OTHER_FILES);
    }, 60_000);

    it('closes all its connections', async () => {
      const { openOther, openFiles } = fixture;
      if (!openOther || !openFiles) return;
      const initialFiles = await openFiles();
      const other = await openOther();
      await other.store.put(key('a'), chunks('x'), MIME);
      await Promise.all(
        Array.from({ length: CALLS_BEYOND_POOL }, async () => {
          const storedBytes = await other.store.read(key('a'));
          await collectBytes(storedBytes!.bytes);
        }),
      );
      await other.close();
      await new Promise((resolve) => setTimeout(resolve, CLOSING_MS));
      expect(await openFiles()).toBeLessThan(initialFiles + MAX_OTHER_FILES);
    });

    it('removes the remains of a crash and keeps a write in progress', async () => {
      const { reopenAfterCrash, heldBytes } = fixture;
      if (!reopenAfterCrash || !heldBytes) return;
      await put('kept', 'kept');
      const initialBytes = await heldBytes();
      let reopened: MediaStore | undefined;
      let reopenedBytes: number | undefined;
      const interruptedSource = async function* (): AsyncGenerator<Uint8Array> {
        yield* chunks('one ');
        reopened = await reopenAfterCrash();
        reopenedBytes = await heldBytes();
        yield* chunks('two');
      };
      expect(await put('crossed', interruptedSource())).toBe(7);
      expect((reopenedBytes ?? 0) - initialBytes).toBe(4);
      expect([await readText('crossed'), await readText('kept')]).toEqual(['one two', 'kept']);
      expect((await heldBytes()) - initialBytes).toBe(7);
      const crossed = await reopened?.read(key('crossed'));
      expect(crossed?.size).toBe(7);
      await collectBytes(crossed!.bytes);
    }, 60_000);
  });

  describe('a store whose back end never answers', () => {
    const calls: readonly (readonly [name: string, call: (store: MediaStore) => Promise<unknown>])[] = [
      ['put', (offline) => offline.put(key('lost'), chunks('lost'), MIME)],
      ['read', (offline) => offline.read(key('lost'))],
      ['copy', (offline) => offline.copy(key('lost'), key('copied'))],
      ['remove', (offline) => offline.remove(key('lost'))],
      ['list', async (offline) => offline.list(key(''))[Symbol.asyncIterator]().next()],
      ['ping', (offline) => offline.ping()],
    ];
    const expectFailure = async (call: (store: MediaStore) => Promise<unknown>): Promise<void> => {
      if (fixture.offline) await expect(call(fixture.offline)).rejects.toThrow();
    };
    for (const [name, call] of calls) it(`throws on ${name}`, () => expectFailure(call), 60_000);
  });

  describe('a ping of the store', () => {
    it('succeeds for a working store and stores nothing', async () => {
      const initialBytes = await fixture.heldBytes?.();
      await store.ping();
      expect(await fixture.heldBytes?.()).toBe(initialBytes);
    });

    it('throws for an unreachable store', async () => {
      if (!('unreachable' in fixture)) return;
      await expect(fixture.unreachable?.ping()).rejects.toThrow();
    }, 60_000);
  });
}

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield new TextEncoder().encode(text);
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.slice(at, at + 65_536);
}

async function* zeroChunks(megabytes: number, onChunk: () => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < megabytes * 16; at += 1) {
    onChunk();
    yield new Uint8Array(65_536);
  }
}

async function* singleBytes(size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += 1) yield Uint8Array.of(byteAt(at));
}

async function* countingChunks(size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0, chunkSize = 1; at < size; at += chunkSize, chunkSize = (chunkSize * 7) % 99_991) {
    const bytes = new Uint8Array(Math.min(chunkSize, size - at));
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = byteAt(at + index);
    yield bytes;
  }
}

function isCountingSequence(bytes: Uint8Array, size: number): boolean {
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] !== byteAt(at)) return false;
  return bytes.length === size;
}

function byteAt(at: number): number {
  return (at ^ (at >> 8) ^ (at >> 16)) & 0xff;
}

async function collectBytes(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of bytes) parts.push(chunk);
  return concat(parts);
}

interface Process {
  memoryUsage(): { readonly arrayBuffers: number };
  getBuiltinModule?(name: string): unknown;
}

/** Of the size of an object: what a store may hold in memory, and what waits for the garbage collector. */
const MAX_GROWTH = 0.4;
/** Maximum size of buffers that may wait for the garbage collector. */
const MAX_GARBAGE_BYTES = 8 * MEGABYTE;

class MemoryPeak {
  private readonly initialBytes: number;
  private peak: number;

  constructor() {
    // Older garbage would hide the growth.
    collectGarbage();
    this.initialBytes = bufferBytes();
    this.peak = this.initialBytes;
  }

  sample(): void {
    if (bufferBytes() < this.peak + MAX_GARBAGE_BYTES) return;
    collectGarbage();
    this.peak = Math.max(this.peak, bufferBytes());
  }

  growthMegabytes(): number {
    return (this.peak - this.initialBytes) / MEGABYTE;
  }
}

function collectGarbage(): void {
  const { process } = globalThis as { process?: Process };
  const v8 = process?.getBuiltinModule?.('v8') as { setFlagsFromString(flag: string): void } | undefined;
  const vm = process?.getBuiltinModule?.('vm') as { runInNewContext(code: string): () => void } | undefined;
  v8?.setFlagsFromString('--expose-gc');
  vm?.runInNewContext('gc')();
}

function bufferBytes(): number {
  return (globalThis as { process?: Process }).process?.memoryUsage().arrayBuffers ?? 0;
}
