import type { ReadableFile } from '@back-office/media';
import { mediaFactsContract, mp4Film, readable } from '@back-office/media/testing';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { MediainfoFacts } from './mediainfo-facts.js';

const film = mp4Film({ width: 64, height: 36 });

// V8 compiles a library once for all threads as long as somebody holds the module.
const held: WebAssembly.Module[] = [];
beforeAll(async () => {
  const library = await readFile(fileURLToPath(import.meta.resolve('mediainfo.js/MediaInfoModule.wasm')));
  held.push(await WebAssembly.compile(library));
});
afterAll(() => {
  held.length = 0;
});

describe('films by MediaInfo', () => {
  mediaFactsContract(async () => new MediainfoFacts());
});

describe('a film that takes too long', () => {
  it('has no size, and the next one gets another thread', async () => {
    const facts = new MediainfoFacts({ timeoutMs: 1_000 });
    const stuck: ReadableFile = { size: 100, read: () => new Promise<Uint8Array>(() => {}) };
    const [none, some] = await Promise.all([facts.sizeOf(stuck), facts.sizeOf(readable(film))]);
    expect([none, some]).toEqual([undefined, { width: 64, height: 36 }]);
  });
});

describe('a film that is read without end', () => {
  it('has no size', async () => {
    const facts = new MediainfoFacts({ timeoutMs: 60_000 });
    let count = 0;
    // Sound in small frames, as far as anybody looks.
    const endless: ReadableFile = {
      size: 10 ** 12,
      async read(_, length) {
        count += length;
        return new Uint8Array(length).fill(0x47);
      },
    };
    expect(await facts.sizeOf(endless)).toBeUndefined();
    expect(count).toBeLessThanOrEqual(64 * 2 ** 20);
  }, 60_000);
});

describe('a film that takes too much memory', () => {
  it('has no size', async () => {
    const wordy = mp4Film({ width: 64, height: 36, titleSize: 30 * 2 ** 20 });
    const [generous, sparing] = [256, 48].map((memoryMegabytes) => new MediainfoFacts({ memoryMegabytes }));
    expect(await generous?.sizeOf(readable(wordy))).toEqual({ width: 64, height: 36 });
    expect(await sparing?.sizeOf(readable(wordy))).toBeUndefined();
    expect(await sparing?.sizeOf(readable(film))).toEqual({ width: 64, height: 36 });
  });
});

describe('facts that are closed', () => {
  it('end what they are reading, which has no size then', async () => {
    const facts = new MediainfoFacts();
    const size = facts.sizeOf({ size: 100, read: () => new Promise<Uint8Array>(() => {}) });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await facts.close();
    expect(await size).toBeUndefined();
  });
});
