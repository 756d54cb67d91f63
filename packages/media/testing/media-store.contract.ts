import type { ByteRange, MediaStore } from '../src/index.js';

export interface GivenStore {
  readonly store: MediaStore;
  close(): Promise<void>;
}

const MEGABYTE = 2 ** 20;
const MIME = 'application/octet-stream';

/**
 * What every media store promises. `open` gives a store that may hold objects of other tests: the suite keeps to keys
 * of its own. Run it inside a test file: `mediaStoreContract(() => …)`.
 */
export function mediaStoreContract(open: () => Promise<GivenStore>): void {
  let given: GivenStore;
  let store: MediaStore;
  let folder = '';
  let folders = 0;

  beforeAll(async () => {
    given = await open();
    store = given.store;
  });
  afterAll(() => given.close());
  beforeEach(() => {
    folders += 1;
    folder = `contract/t${folders}`;
  });

  const key = (name: string): string => `${folder}/${name}`;
  const put = (name: string, bytes: AsyncIterable<Uint8Array> | string): Promise<number> =>
    store.put(key(name), typeof bytes === 'string' ? chunks(bytes) : bytes, MIME);
  const text = async (name: string, range?: ByteRange): Promise<string | undefined> => {
    const found = await store.read(key(name), range);
    return found && new TextDecoder().decode(await whole(found.bytes));
  };
  const listed = async (prefix = folder): Promise<string[]> => {
    const keys: string[] = [];
    for await (const object of store.list(prefix)) keys.push(object.key);
    return keys.sort();
  };

  describe('what is put', () => {
    it('can be read, and its size is known', async () => {
      expect(await put('a.txt', 'hello')).toBe(5);
      expect(await text('a.txt')).toBe('hello');
      expect((await store.read(key('a.txt')))?.size).toBe(5);
    });

    it('may be nothing', async () => {
      expect(await put('empty', chunks())).toBe(0);
      expect(await text('empty')).toBe('');
    });

    it('takes the place of what was there', async () => {
      await put('a.txt', 'a much longer text than before');
      await put('a.txt', 'new');
      expect(await text('a.txt')).toBe('new');
    });

    it('arrives whole and in order, in many pieces and of some size', async () => {
      const size = 12 * MEGABYTE + 7;
      expect(await store.put(key('large'), counting(size), MIME)).toBe(size);
      const found = await store.read(key('large'));
      expect(await isCounting(found?.bytes, size)).toBe(true);
    }, 60_000);

    it('may have any key that the domain makes', async () => {
      for (const name of ['x-2.webp', 'x@320.jpg', 'a.b_c-d', 'deep/er/and/deeper/x', `${'n'.repeat(200)}.jpeg`]) {
        await put(name, name);
        expect(await text(name)).toBe(name);
      }
    });

    it('lies beside others whose key begins alike', async () => {
      await put('a', 'one');
      await put('ab', 'two');
      expect([await text('a'), await text('ab')]).toEqual(['one', 'two']);
    });

    it('is one of them, whole, when several are put at once', async () => {
      const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(200_000));
      await Promise.all(texts.map((each) => put('raced', each)));
      expect(texts).toContain(await text('raced'));
    });
  });

  describe('a put whose source fails', () => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(100_000);
      await Promise.resolve();
      throw new Error('the client hung up');
    };

    it('says why, and leaves nothing', async () => {
      await expect(put('cut', failing())).rejects.toThrow('the client hung up');
      expect(await text('cut')).toBeUndefined();
      expect(await listed()).toEqual([]);
    });

    it('leaves what was there', async () => {
      await put('cut', 'before');
      await expect(put('cut', failing())).rejects.toThrow('the client hung up');
      expect(await text('cut')).toBe('before');
    });
  });

  describe('a range', () => {
    beforeEach(() => put('a', '0123456789'));

    it.each([
      [{ first: 0, last: 0 }, '0'],
      [{ first: 2, last: 4 }, '234'],
      [{ first: 9, last: 9 }, '9'],
      [{ first: 8, last: 99 }, '89'],
      [{ first: 0, last: 9 }, '0123456789'],
      [{ first: 10, last: 12 }, ''],
    ])('%j is %j', async (range, expected) => {
      expect(await text('a', range)).toBe(expected);
      expect((await store.read(key('a'), range))?.size).toBe(10);
    });
  });

  describe('what is not there', () => {
    it('is not found, copied or missed', async () => {
      expect(await store.read(key('none'))).toBeUndefined();
      expect(await store.read(key('none'), { first: 0, last: 1 })).toBeUndefined();
      expect(await store.copy(key('none'), key('other'))).toBe(false);
      await store.remove(key('none'));
      expect(await listed()).toEqual([]);
    });

    it('is not found in place of a folder', async () => {
      await put('folder/a', 'x');
      expect(await store.read(key('folder'))).toBeUndefined();
      await store.remove(key('folder'));
      expect(await text('folder/a')).toBe('x');
    });
  });

  describe('a copy', () => {
    it('has the same content, and a life of its own', async () => {
      await put('a', 'content');
      expect(await store.copy(key('a'), key('versions/1'))).toBe(true);
      await put('a', 'changed');
      expect([await text('a'), await text('versions/1')]).toEqual(['changed', 'content']);
    });

    it('takes the place of what was there', async () => {
      await put('a', 'new');
      await put('b', 'old and longer');
      await store.copy(key('a'), key('b'));
      expect(await text('b')).toBe('new');
    });
  });

  describe('what is removed', () => {
    it('is gone, and can be put again', async () => {
      await put('a', 'x');
      await store.remove(key('a'));
      await store.remove(key('a'));
      expect(await text('a')).toBeUndefined();
      await put('a', 'y');
      expect(await text('a')).toBe('y');
    });
  });

  describe('a list', () => {
    it('has all keys that begin so, with size and time', async () => {
      await put('a', '1');
      await put('b/c', '22');
      await put('bd', '333');
      expect(await listed()).toEqual([key('a'), key('b/c'), key('bd')]);
      expect(await listed(key('b'))).toEqual([key('b/c'), key('bd')]);
      expect(await listed(key('b/'))).toEqual([key('b/c')]);
      for await (const object of store.list(key('a'))) {
        expect(object.size).toBe(1);
        expect(Math.abs(object.writtenAt.getTime() - Date.now())).toBeLessThan(120_000);
      }
    });
  });

  it('answers a ping', async () => {
    await expect(store.ping()).resolves.toBeUndefined();
  });
}

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const each of texts) yield new TextEncoder().encode(each);
}

/** Bytes that tell their place, in pieces of uneven size. */
async function* counting(size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0, piece = 1; at < size; at += piece, piece = (piece * 7) % 99_991) {
    yield Uint8Array.from({ length: Math.min(piece, size - at) }, (_, index) => placeOf(at + index));
  }
}

async function isCounting(bytes: AsyncIterable<Uint8Array> | undefined, size: number): Promise<boolean> {
  let at = 0;
  for await (const chunk of bytes ?? chunks()) {
    for (const byte of chunk) if (byte !== placeOf(at++)) return false;
  }
  return at === size;
}

function placeOf(at: number): number {
  return (at ^ (at >> 8) ^ (at >> 16)) & 0xff;
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of bytes) parts.push(chunk);
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
