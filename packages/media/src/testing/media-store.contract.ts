import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { ByteRange, MediaStore } from '../index.js';
import { concat } from '../octets.js';

export interface GivenStore {
  readonly store: MediaStore;
  close(): Promise<void>;
  /** The same kind of store, unreachable; without it, the failure of `ping` is not tested. */
  readonly unreachable?: MediaStore;
  /** Whether `close` removes all objects; otherwise the contract removes its own. */
  readonly isTemporary?: boolean;
  /** Whether the store keeps objects in memory. */
  readonly isMemory?: boolean;
  /** The type under which the store serves this object. */
  mimeOf?(key: string): Promise<string | undefined>;
  /** Bytes that the back end holds; may collect garbage first. */
  heldBytes?(): Promise<number>;
  /** Files and connections that the process holds open. */
  openFiles?(): Promise<number>;
  /** Leaves what a crash in a write leaves, more than a day ago, and opens the store again. */
  reopenAfterCrash?(): Promise<MediaStore>;
}

const MEGABYTE = 2 ** 20;
const MIME = 'application/octet-stream';
/** More than one page of a list in any known store. */
const MANY = 1_001;
/** More than the connections of a pool. */
const POOL = 24;
/** Files that others in the process may open meanwhile. */
const FEW = 8;

/**
 * Tests for every adapter of {@link MediaStore}. The store may hold other objects: keys are random, and removed at the
 * end. Call it in a test file: `mediaStoreContract(runnerOf(globalThis), open)`.
 */
export function mediaStoreContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenStore>,
): void {
  let given: GivenStore;
  let store: MediaStore;
  const root = `contract-${Math.random().toString(36).slice(2, 12)}`;
  let folder = '';
  let folders = 0;

  before(async () => {
    given = await open();
    store = given.store;
  });
  after(async () => {
    if (!given.isTemporary) for await (const { key } of store.list(`${root}/`)) await store.remove(key);
    await given.close();
  });
  beforeEach(() => {
    folders += 1;
    folder = `${root}/t${folders}`;
  });

  const key = (name: string): string => `${folder}/${name}`;
  const put = (name: string, bytes: AsyncIterable<Uint8Array> | string): Promise<number> =>
    store.put(key(name), typeof bytes === 'string' ? chunks(bytes) : bytes, MIME);
  const text = async (name: string, range?: ByteRange): Promise<string | undefined> => {
    const found = await store.read(key(name), range);
    return found && new TextDecoder().decode(await whole(found.bytes));
  };
  const sizeOf = async (name: string, range?: ByteRange): Promise<number | undefined> => {
    const found = await store.read(key(name), range);
    if (found) await whole(found.bytes);
    return found?.size;
  };
  const zeros = (name: string, megabytes: number, onChunk = (): void => {}): Promise<number> =>
    store.put(key(name), zeroChunks(megabytes, onChunk), MIME);
  const listed = async (prefix = `${folder}/`): Promise<string[]> => {
    const keys: string[] = [];
    for await (const object of store.list(prefix)) keys.push(object.key);
    return keys.sort();
  };

  describe('put', () => {
    it('stores an object and returns its size', async () => {
      expect(await put('a.txt', 'hello')).toBe(5);
      expect(await text('a.txt')).toBe('hello');
      expect(await sizeOf('a.txt')).toBe(5);
    });

    it('stores an empty object', async () => {
      expect(await put('empty', chunks())).toBe(0);
      expect(await text('empty')).toBe('');
    });

    it('replaces an object', async () => {
      await put('a.txt', 'a much longer text than before');
      await put('a.txt', 'new');
      expect(await text('a.txt')).toBe('new');
    });

    it('stores many chunks in order', async () => {
      const size = 12 * MEGABYTE + 7;
      expect(await store.put(key('large'), counting(size), MIME)).toBe(size);
      const found = await store.read(key('large'));
      // Collects all chunks first, to notice a store that reuses their memory.
      expect(isCounting(await whole(found!.bytes), size)).toBe(true);
    }, 60_000);

    it('streams, as reading does', async () => {
      if (given.isMemory) return;
      const size = 96;
      const peak = new MemoryPeak();
      await zeros('large', size, () => peak.look());
      expect(peak.grownMegabytes()).toBeLessThan(0.9 * size);
      const reading = new MemoryPeak();
      let read = 0;
      for await (const chunk of (await store.read(key('large')))!.bytes) {
        read += chunk.length;
        reading.look();
      }
      expect(read).toBe(size * MEGABYTE);
      expect(reading.grownMegabytes()).toBeLessThan(0.9 * size);
    }, 60_000);

    it('stores the type, which copies keep', async () => {
      if (given.mimeOf === undefined) return;
      await store.put(key('a'), chunks('x'), 'image/webp');
      await store.copy(key('a'), key('b'));
      expect([await given.mimeOf(key('a')), await given.mimeOf(key('b'))]).toEqual(['image/webp', 'image/webp']);
    });

    it('accepts every valid key', async () => {
      for (const name of ['x-2.webp', 'x@320.jpg', 'a.b_c-d', 'deep/er/and/deeper/x', `${'n'.repeat(200)}.jpeg`]) {
        await put(name, name);
        expect(await text(name)).toBe(name);
      }
    });

    it('distinguishes keys with a common prefix', async () => {
      await put('a', 'one');
      await put('ab', 'two');
      expect([await text('a'), await text('ab')]).toEqual(['one', 'two']);
    });

    it('stores one of several concurrent objects whole', async () => {
      const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200_000));
      await Promise.all(texts.map((each) => put('raced', each)));
      expect(texts).toContain(await text('raced'));
    });
  });

  describe('a put with a failing source', () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100_000);
      await Promise.resolve();
      throw new Error('the client hung up');
    };

    it('passes on the error and leaves nothing', async () => {
      await expect(put('cut', failing())).rejects.toThrow('the client hung up');
      expect(await text('cut')).toBeUndefined();
      expect(await listed()).toEqual([]);
    });

    it('leaves the old object', async () => {
      await put('cut', 'before');
      await expect(put('cut', failing())).rejects.toThrow('the client hung up');
      expect(await text('cut')).toBe('before');
    });

    it('releases its connection', async () => {
      for (let turn = 0; turn < POOL; turn += 1) await put('cut', failing()).catch(() => {});
      await put('after', 'x');
      expect(await text('after')).toBe('x');
    }, 60_000);
  });

  describe('a reader', () => {
    const readSlowly = async (meanwhile: () => Promise<unknown>): Promise<string> => {
      const found = await store.read(key('a'));
      const parts: Uint8Array[] = [];
      for await (const chunk of found!.bytes) {
        if (parts.length === 0) await meanwhile();
        parts.push(chunk);
      }
      return new Set(concat(parts)).size === 1 ? `${concat(parts).length} of ${concat(parts)[0]}` : 'a mixture';
    };

    it('gets all of the old object, or an error, when it is replaced', async () => {
      const of = (byte: number) => only(new Uint8Array(4 * MEGABYTE).fill(byte));
      await store.put(key('a'), of(1), MIME);
      const read = readSlowly(() => store.put(key('a'), of(2), MIME)).catch(() => 'cut off');
      expect(['cut off', `${4 * MEGABYTE} of 1`]).toContain(await read);
      expect(await readSlowly(() => Promise.resolve())).toBe(`${4 * MEGABYTE} of 2`);
    }, 60_000);

    it('that stops early releases its connection', async () => {
      await zeros('large', 2);
      for (let turn = 0; turn < POOL; turn += 1)
        for await (const chunk of (await store.read(key('large')))!.bytes) if (chunk.length > 0) break;
      await put('after', 'x');
      expect(await text('after')).toBe('x');
    }, 60_000);
  });

  describe('a range', () => {
    beforeEach(() => put('a', '0123456789'));

    eachCase(it, [
      [{ first: 0, last: 0 }, '0'],
      [{ first: 2, last: 4 }, '234'],
      [{ first: 9, last: 9 }, '9'],
      [{ first: 8, last: 99 }, '89'],
      [{ first: 0, last: 9 }, '0123456789'],
      [{ first: 10, last: 12 }, ''],
    ])('%j reads %j', async (range, expected) => {
      expect(await text('a', range)).toBe(expected);
      expect(await sizeOf('a', range)).toBe(10);
    });
  });

  describe('a missing object', () => {
    it('is not found or copied, and can be removed', async () => {
      expect(await store.read(key('none'))).toBeUndefined();
      expect(await store.read(key('none'), { first: 0, last: 1 })).toBeUndefined();
      expect(await store.copy(key('none'), key('other'))).toBe(false);
      await store.remove(key('none'));
      expect(await listed()).toEqual([]);
    });

    it('is not found under the key of an object', async () => {
      await put('a', 'x');
      expect(await store.read(key('a/b'))).toBeUndefined();
      expect(await store.copy(key('a/b'), key('c'))).toBe(false);
    });

    it('is not found under a folder’s key', async () => {
      await put('folder/a', 'x');
      expect(await store.read(key('folder'))).toBeUndefined();
      await store.remove(key('folder'));
      expect(await text('folder/a')).toBe('x');
    });
  });

  describe('a copy', () => {
    it('has the same content and is independent', async () => {
      await put('a', 'content');
      expect(await store.copy(key('a'), key('versions/1'))).toBe(true);
      await put('a', 'changed');
      expect([await text('a'), await text('versions/1')]).toEqual(['changed', 'content']);
    });

    it('replaces an object', async () => {
      await put('a', 'new');
      await put('b', 'old and longer');
      await store.copy(key('a'), key('b'));
      expect(await text('b')).toBe('new');
    });
  });

  describe('a removed object', () => {
    it('is gone and can be stored again', async () => {
      await put('a', 'x');
      await store.remove(key('a'));
      await store.remove(key('a'));
      expect(await text('a')).toBeUndefined();
      await put('a', 'y');
      expect(await text('a')).toBe('y');
    });

    it('frees its bytes, as a replaced one does', async () => {
      if (given.heldBytes === undefined) return;
      const atFirst = await given.heldBytes();
      await zeros('a', 4);
      await zeros('a', 4);
      expect((await given.heldBytes()) - atFirst).toBeLessThan(6 * MEGABYTE);
      await store.remove(key('a'));
      expect((await given.heldBytes()) - atFirst).toBeLessThan(MEGABYTE);
    }, 60_000);
  });

  describe('a list', () => {
    it('has all keys with the prefix, with size and time', async () => {
      await put('a', '1');
      await put('b/c', '22');
      await put('bd', '333');
      expect(await listed()).toEqual([key('a'), key('b/c'), key('bd')]);
      expect(await listed(key('b'))).toEqual([key('b/c'), key('bd')]);
      expect(await listed(key('b/'))).toEqual([key('b/c')]);
      expect(await listed(root.slice(0, -1))).toEqual(expect.arrayContaining([key('a'), key('b/c')]));
      for await (const object of store.list(key('a'))) {
        expect(object.size).toBe(1);
        expect(Math.abs(object.writtenAt.getTime() - Date.now())).toBeLessThan(120_000);
      }
    });

    it('takes the prefix literally', async () => {
      const names = ['a_b', 'axb', 'a.b', 'a-b', 'a@b', 'ab'];
      for (const name of names) await put(`${name}/x`, '1');
      for (const name of names) expect(await listed(key(name))).toEqual([key(`${name}/x`)]);
    });

    it('is complete when long', async () => {
      const names = Array.from({ length: MANY }, (_, index) => `n${index}`);
      for (let at = 0; at < MANY; at += POOL)
        await Promise.all(names.slice(at, at + POOL).map((name) => put(name, '1')));
      expect(await listed()).toEqual(names.map(key).sort());
    }, 60_000);
  });

  describe('the back end', () => {
    it('holds no copies of objects that are gone', async () => {
      if (given.heldBytes === undefined) return;
      const atFirst = await given.heldBytes();
      await zeros('a', 2);
      for (const to of ['b', 'b']) await store.copy(key('a'), key(to));
      await Promise.all(['a', 'b'].map((name) => store.remove(key(name))));
      expect(await given.heldBytes()).toBe(atFirst);
    }, 60_000);

    it('holds no file open after a call', async () => {
      if (given.openFiles === undefined) return;
      await put('a', 'x');
      await put('folder/a', 'x');
      const atFirst = await given.openFiles();
      for (let turn = 0; turn < POOL; turn += 1) {
        await put('b', 'xyz');
        await text('b');
        await text('b', { first: 99, last: 100 });
        await store.read(key('folder'));
        await store.copy(key('b'), key('c'));
        await listed();
        await store.ping();
      }
      expect(await given.openFiles()).toBeLessThan(atFirst + FEW);
    }, 60_000);

    it('loses what a crash left, and nothing of a write in progress', async () => {
      const { reopenAfterCrash, heldBytes } = given;
      if (!reopenAfterCrash || !heldBytes) return;
      await put('kept', 'kept');
      const atFirst = await heldBytes();
      let reopened: MediaStore | undefined;
      const crossed = async function* (): AsyncGenerator<Uint8Array> {
        yield* chunks('one ');
        reopened = await reopenAfterCrash();
        yield* chunks('two');
      };
      expect(await put('crossed', crossed())).toBe(7);
      expect([await text('crossed'), await text('kept')]).toEqual(['one two', 'kept']);
      expect((await heldBytes()) - atFirst).toBe(7);
      expect((await reopened?.read(key('crossed')))?.size).toBe(7);
    }, 60_000);
  });

  describe('a ping', () => {
    it('succeeds for a working store and leaves nothing', async () => {
      const atFirst = await given.heldBytes?.();
      await store.ping();
      expect(await given.heldBytes?.()).toBe(atFirst);
    });

    it('throws for an unreachable store', async () => {
      if (given.unreachable !== undefined) await expect(given.unreachable.ping()).rejects.toThrow();
    }, 60_000);
  });
}

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const each of texts) yield new TextEncoder().encode(each);
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.slice(at, at + 65_536);
}

async function* zeroChunks(megabytes: number, onChunk: () => void): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < megabytes * 16; at += 1) {
    onChunk();
    yield new Uint8Array(65_536);
  }
}

/** Bytes that depend on their offset, in chunks of uneven size. */
async function* counting(size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0, piece = 1; at < size; at += piece, piece = (piece * 7) % 99_991) {
    const bytes = new Uint8Array(Math.min(piece, size - at));
    for (let index = 0; index < bytes.length; index += 1) bytes[index] = byteAt(at + index);
    yield bytes;
  }
}

function isCounting(bytes: Uint8Array, size: number): boolean {
  for (let at = 0; at < bytes.length; at += 1) if (bytes[at] !== byteAt(at)) return false;
  return bytes.length === size;
}

function byteAt(at: number): number {
  return (at ^ (at >> 8) ^ (at >> 16)) & 0xff;
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of bytes) parts.push(chunk);
  return concat(parts);
}

interface Process {
  memoryUsage(): { readonly arrayBuffers: number };
  getBuiltinModule?(name: string): unknown;
}

/** Buffers that wait for the garbage collector must not count as held. */
const MAX_GARBAGE_BYTES = 8 * MEGABYTE;

/** Peak memory of buffers, where the runtime reports it. */
class MemoryPeak {
  private readonly before = heldByBuffers();
  private peak = this.before;

  look(): void {
    if (heldByBuffers() < this.peak + MAX_GARBAGE_BYTES) return;
    collectGarbage();
    this.peak = Math.max(this.peak, heldByBuffers());
  }

  grownMegabytes(): number {
    return (this.peak - this.before) / MEGABYTE;
  }
}

/** Collects garbage where the runtime allows it. */
function collectGarbage(): void {
  const { process } = globalThis as { process?: Process };
  const v8 = process?.getBuiltinModule?.('v8') as { setFlagsFromString(flag: string): void } | undefined;
  const vm = process?.getBuiltinModule?.('vm') as { runInNewContext(code: string): () => void } | undefined;
  v8?.setFlagsFromString('--expose-gc');
  vm?.runInNewContext('gc')();
}

function heldByBuffers(): number {
  return (globalThis as { process?: Process }).process?.memoryUsage().arrayBuffers ?? 0;
}
