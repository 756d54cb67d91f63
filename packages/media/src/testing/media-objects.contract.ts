import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { MediaFixture, TERMS, type GivenMediaLibrary } from './media-library.js';

/** Tests for every adapter of {@link MediaObjectQueries}. */
export function mediaObjectsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenMediaLibrary>,
): void {
  let given: GivenMediaLibrary;
  let library: MediaFixture;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    library = await MediaFixture.of(given);
  });
  const objects = () => given.ports.mediaObjectQueries;
  const replaced = async (name: string) => {
    const file = await library.file(name);
    await given.ports.fileVersions.replace(library.appId, file.id, await library.received({ bytes: 9 }), TERMS);
    return file;
  };

  describe('the app of a prefix', () => {
    it('is found', async () => {
      expect(await objects().appOf(library.app.prefix)).toBe(library.appId);
      expect(await objects().appOf('-')).toBeUndefined();
    });
  });

  describe('an object', () => {
    it('is found by the keys of a file and its versions, also in Trash', async () => {
      const file = await replaced('a.txt');
      await library.trash(file);
      const version = `${library.app.prefix}/a@v1.txt`;
      const [now, earlier] = [
        await objects().ofKey(library.appId, file.key),
        await objects().ofKey(library.appId, version),
      ];
      expect(now).toEqual({ content: now?.content, mime: 'text/plain', size: 9, version: 2, isSettled: true });
      expect(earlier).toEqual({ content: earlier?.content, mime: 'text/plain', size: 5, version: 1, isSettled: true });
      expect(now?.content).not.toBe(earlier?.content);
    });

    it('is not found by other keys, or in another app', async () => {
      const { key } = await library.file('a.txt');
      expect(await objects().ofKey(library.appId, `${key}x`)).toBeUndefined();
      expect(await objects().ofKey((await MediaFixture.of(given)).appId, key)).toBeUndefined();
    });

    it('is not settled before processing', async () => {
      const { key } = await library.image('a.jpg');
      expect(await objects().ofKey(library.appId, key)).toMatchObject({ isSettled: false });
    });
  });

  describe('public keys', () => {
    it('are sorted, after the given one', async () => {
      for (const name of ['b', 'a', 'c']) await library.file(name);
      await replaced('d.txt');
      await library.received();
      const keys = ['a', 'b', 'c', 'd.txt', 'd@v1.txt'].map((name) => `${library.app.prefix}/${name}`);
      expect(await objects().keysAfter(library.appId, '')).toEqual(keys);
      expect(await objects().keysAfter(library.appId, keys[2] ?? '')).toEqual(keys.slice(3));
      expect(await objects().keysAfter(library.appId, keys[4] ?? '')).toEqual([]);
    });

    it('include those of renditions and pages', async () => {
      const { key, id } = await library.image('a.jpg');
      const { processedFiles, processedFileQueries } = given.ports;
      const target = await processedFileQueries.find(library.appId, id);
      const made = { content: `_blobs/${library.app.prefix}/x`, mime: 'image/webp', size: 1, width: 1, height: 1 };
      const derived = [`${library.app.prefix}/a@320.jpg`, `${library.app.prefix}/a@p1.webp`];
      await processedFiles.record(library.appId, target!, {
        main: undefined,
        width: null,
        height: null,
        renditions: [{ ...made, key: derived[0]!, label: 'w320' }],
        replacesRenditions: true,
        pages: [{ ...made, key: derived[1]!, page: 1 }],
      });
      const all = [key, ...derived].sort();
      expect(await objects().keysAfter(library.appId, '')).toEqual(all);
      expect(await objects().unowned(library.appId, all)).toEqual([]);
      expect(await objects().unreferenced(library.appId, [made.content])).toEqual([]);
    });

    it('without a file are found', async () => {
      const { key } = await replaced('a.txt');
      const version = `${library.app.prefix}/a@v1.txt`;
      expect((await objects().unowned(library.appId, ['x', key, 'y', version])).sort()).toEqual(['x', 'y']);
      expect(await objects().unowned((await MediaFixture.of(given)).appId, [key])).toEqual([key]);
    });
  });

  describe('blobs', () => {
    it('are referenced by files, kept versions and uploads', async () => {
      const uploads = [await library.received({ kind: 'image' }), await library.received(), await library.received()];
      const [first, second] = [uploads[0]!, uploads[1]!];
      const file = await library.file('a.jpg', {}, first);
      await given.ports.fileVersions.replace(library.appId, file.id, second, TERMS);
      const blobs = uploads.flatMap(({ receipt }) => [receipt.content, receipt.original ?? '-']);
      expect(await objects().unreferenced(library.appId, blobs)).toEqual(['-', '-']);
      await library.trash(file);
      await given.ports.mediaTrash.purge(library.appId, [file.id]);
      const unreferenced = await objects().unreferenced(library.appId, blobs);
      expect(unreferenced.sort()).toEqual(blobs.toSpliced(4, 1).sort());
    });
  });
}
