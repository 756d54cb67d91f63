import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { JOBS } from '../index.js';
import { AppLibrary, RULES, TERMS, type MediaLibraryFixture } from './media-library.js';

export function mediaObjectsContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<MediaLibraryFixture>,
): void {
  let fixture: MediaLibraryFixture;
  let library: AppLibrary;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    library = await AppLibrary.create(fixture);
  });
  const objects = () => fixture.ports.mediaObjectQueries;
  const addReplacedFile = async (name: string) => {
    const file = await library.addFile(name);
    await fixture.ports.fileVersions.replace(library.appId, file.id, await library.upload({ bytes: 9 }), TERMS);
    return file;
  };

  describe('an app', () => {
    it('is found by the prefix of its keys', async () => {
      expect(await objects().findApp(library.app.prefix)).toBe(library.appId);
      expect(await objects().findApp('-')).toBeUndefined();
    });
  });

  describe('a public object', () => {
    it('is found by the keys of a file and its versions, also in Trash', async () => {
      const file = await addReplacedFile('a.txt');
      await library.trash(file);
      const version = await library.keyOfVersion(file.id, 1);
      const [currentObject, earlierObject] = [
        await objects().findObject(library.appId, file.key),
        await objects().findObject(library.appId, version),
      ];
      expect(currentObject).toEqual({
        content: currentObject?.content,
        mime: 'text/plain',
        size: 9,
        version: 2,
        isImmutable: true,
      });
      expect(earlierObject).toEqual({
        content: earlierObject?.content,
        mime: 'text/plain',
        size: 5,
        version: 1,
        isImmutable: true,
      });
      expect(currentObject?.content).not.toBe(earlierObject?.content);
    });

    it('is not found in Trash if the app does not serve its Trash', async () => {
      library = new AppLibrary(fixture, await fixture.makeApp({ servesTrash: false }));
      const file = await addReplacedFile('a.txt');
      const version = await library.keyOfVersion(file.id, 1);
      const findBoth = async () => [
        (await objects().findObject(library.appId, file.key))?.version,
        (await objects().findObject(library.appId, version))?.version,
      ];
      expect(await findBoth()).toEqual([2, 1]);
      await library.runJobs(JOBS.tidy);
      const rules = { ...RULES, servesTrash: false };
      await fixture.ports.mediaTrash.delete(library.appId, [file.key], rules);
      expect(await findBoth()).toEqual([undefined, undefined]);
      const [payload] = await library.runJobPayloads(JOBS.tidy);
      expect(new Set(payload?.withdrawn)).toEqual(
        new Set([
          { key: file.key, version: 2 },
          { key: version, version: 1 },
        ]),
      );
      await fixture.ports.fileMoves.restore(library.appId, [file.id]);
      expect(await findBoth()).toEqual([2, 1]);
      const keys = (await library.runJobPayloads(JOBS.tidy)).flatMap((restored) => restored.keys);
      expect(new Set(keys)).toEqual(new Set([file.key, version]));
    });

    it('is not found by other keys or in another app', async () => {
      const { key } = await library.addFile('a.txt');
      expect(await objects().findObject(library.appId, `${key}x`)).toBeUndefined();
      expect(await objects().findObject((await AppLibrary.create(fixture)).appId, key)).toBeUndefined();
    });

    it('is not immutable until its file is processed', async () => {
      const { key } = await library.addImage('a.jpg');
      expect(await objects().findObject(library.appId, key)).toMatchObject({ isImmutable: false });
    });
  });

  describe('public keys', () => {
    it('are listed in order, after a given key', async () => {
      for (const name of ['b', 'a', 'c']) await library.addFile(name);
      const { id } = await addReplacedFile('d.txt');
      await library.upload();
      const names = ['a', 'b', 'c', 'd.txt'].map((name) => `${library.app.prefix}/${name}`);
      const keys = [...names, await library.keyOfVersion(id, 1)];
      expect(await objects().keysAfter(library.appId, '')).toEqual(keys);
      expect(await objects().keysAfter(library.appId, keys[2] ?? '')).toEqual(keys.slice(3));
      expect(await objects().keysAfter(library.appId, keys[4] ?? '')).toEqual([]);
    });

    it('include the keys of renditions and pages', async () => {
      const { key, id } = await library.addImage('a.jpg');
      const { processedFiles, processedFileQueries } = fixture.ports;
      const target = await processedFileQueries.find(library.appId, id);
      const object = { content: `_blobs/${library.app.prefix}/x`, mime: 'image/webp', size: 1, width: 1, height: 1 };
      const derivedKeys = [`${library.app.prefix}/a@320.jpg`, `${library.app.prefix}/a@p1.webp`];
      await processedFiles.record(library.appId, target!, {
        main: undefined,
        width: null,
        height: null,
        renditions: [{ ...object, key: derivedKeys[0]!, label: 'w320' }],
        replacesRenditions: true,
        pages: [{ ...object, key: derivedKeys[1]!, page: 1 }],
      });
      const allKeys = [key, ...derivedKeys].sort();
      expect(await objects().keysAfter(library.appId, '')).toEqual(allKeys);
      expect(await objects().unownedKeys(library.appId, allKeys)).toEqual([]);
      expect(await objects().unreferencedBlobs(library.appId, [object.content])).toEqual([]);
    });

    it('are reported when no file of the app owns them', async () => {
      const { key, id } = await addReplacedFile('a.txt');
      const version = await library.keyOfVersion(id, 1);
      expect((await objects().unownedKeys(library.appId, ['x', key, 'y', version])).sort()).toEqual(['x', 'y']);
      expect(await objects().unownedKeys((await AppLibrary.create(fixture)).appId, [key])).toEqual([key]);
    });
  });

  describe('blobs', () => {
    it('are referenced by files, kept versions and uploads', async () => {
      const uploads = [await library.upload({ kind: 'image' }), await library.upload(), await library.upload()];
      const [first, second] = [uploads[0]!, uploads[1]!];
      const file = await library.addFile('a.jpg', {}, first);
      await fixture.ports.fileVersions.replace(library.appId, file.id, second, TERMS);
      const blobs = uploads.flatMap(({ receipt }) => [receipt.content, receipt.original ?? '-']);
      expect(await objects().unreferencedBlobs(library.appId, blobs)).toEqual(['-', '-']);
      await library.trash(file);
      await fixture.ports.mediaTrash.purge(library.appId, [file.id]);
      const unreferenced = await objects().unreferencedBlobs(library.appId, blobs);
      expect(unreferenced.sort()).toEqual(blobs.toSpliced(4, 1).sort());
    });
  });
}
