import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { FILE_NOT_FOUND, FILE_NOT_IN_TRASH, FILE_REFERENCED, JOBS, type TidyPayload } from '../index.js';
import { HOURS_PER_DAY, AppLibrary, MISSING_ID, RULES, TERMS, type MediaLibraryFixture } from './media-library.js';

export function mediaTrashContract(
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
    await library.runJobs(JOBS.tidy);
  });
  const trash = () => fixture.ports.mediaTrash;
  const currentTime = () => fixture.clock.now().toISOString().slice(0, 19);
  const listTrash = async (): Promise<string[]> => {
    const page = { offset: 0, limit: 100 };
    const { json } = await fixture.ports.mediaFileQueries.trash(library.appId, undefined, undefined, page);
    return JSON.parse(json).files.map(({ filename }: { filename: string }) => filename);
  };
  const runTidyJobs = async () => {
    const jobs = (await library.runJobPayloads(JOBS.tidy)) as TidyPayload[];
    return { blobs: new Set(jobs.flatMap(({ blobs }) => blobs)), keys: new Set(jobs.flatMap(({ keys }) => keys)) };
  };

  describe('delete', () => {
    it('moves files to Trash and returns one result for each requested key', async () => {
      const [a, b] = [await library.addFile('a'), await library.addFile('b')];
      const keys = [b.key, 'missing', a.key, b.key, '\u0000', '\ud800'];
      const results = await trash().delete(library.appId, keys, RULES);
      expect(results).toEqual([undefined, FILE_NOT_FOUND, undefined, undefined, FILE_NOT_FOUND, FILE_NOT_FOUND]);
      expect([await library.fileNames(), await listTrash()]).toEqual([[], ['b', 'a']]);
    });

    it('leaves trashed files unchanged', async () => {
      const file = await library.addFile('a');
      await library.trash(file);
      const deletedAt = currentTime();
      fixture.clock.forward({ hours: 5 });
      expect(await library.trash(file)).toEqual([undefined]);
      const page = { offset: 0, limit: 1 };
      const { json } = await fixture.ports.mediaFileQueries.trash(library.appId, 'a', undefined, page);
      expect(JSON.parse(json).files[0].deleted_at).toBe(deletedAt);
    });

    it('refuses files in use that the rules of the app protect', async () => {
      const [usedFile, otherFile] = [await library.addFile('a'), await library.addFile('b')];
      await library.addUsage(usedFile);
      const keys = [usedFile.key, otherFile.key];
      const rules = { ...RULES, refusesDeleteInUse: true };
      expect(await trash().delete(library.appId, keys, rules)).toEqual([FILE_REFERENCED, undefined]);
      expect(await trash().delete(library.appId, keys, RULES)).toEqual([undefined, undefined]);
      expect(await trash().delete(library.appId, keys, rules)).toEqual([undefined, undefined]);
    });

    it('does not find files of another app', async () => {
      const { key } = await library.addFile('a');
      const otherLibrary = await AppLibrary.create(fixture);
      expect(await trash().delete(otherLibrary.appId, [key], RULES)).toEqual([FILE_NOT_FOUND]);
      expect(await library.fileNames()).toEqual(['a']);
    });
  });

  describe('purge', () => {
    it('removes trashed files and queues the removal of their bytes', async () => {
      const upload = await library.upload({ mime: 'image/jpeg', kind: 'image' });
      const { content, original } = upload.receipt;
      const file = await library.addFile('a.jpg', {}, upload);
      const nextUpload = await library.upload();
      await fixture.ports.fileVersions.replace(library.appId, file.id, nextUpload, TERMS);
      const otherFile = await library.addFile('b.txt');
      await fixture.ports.fileVersions.replace(library.appId, otherFile.id, await library.upload(), TERMS);
      const version = await library.keyOfVersion(file.id, 1);
      const remainingKeys = [otherFile.key, await library.keyOfVersion(otherFile.id, 1)];
      for (const trashedFile of [file, otherFile]) await library.trash(trashedFile);
      await runTidyJobs();
      const ids = [file.id, MISSING_ID, file.id];
      expect(await trash().purge(library.appId, ids)).toEqual([undefined, FILE_NOT_FOUND, undefined]);
      expect(await runTidyJobs()).toEqual({
        blobs: new Set([content, original, nextUpload.receipt.content]),
        keys: new Set([file.key, version]),
      });
      expect(await fixture.ports.mediaObjectQueries.findObject(library.appId, version)).toBeUndefined();
      for (const key of remainingKeys)
        expect(await fixture.ports.mediaObjectQueries.findObject(library.appId, key)).toBeDefined();
      expect(await trash().purge(library.appId, [file.id])).toEqual([FILE_NOT_FOUND]);
    });

    it('keeps the key from every later file', async () => {
      const files = [await library.addFile('sale.txt'), await library.addFile('Sale.txt', {})];
      for (const file of files) await library.trash(file);
      await trash().purge(library.appId, [files[0]!.id]);
      const [third, fourth] = [await library.addFile('sale.txt'), await library.addFile('SALE.txt')];
      const { prefix } = library.app;
      expect([...files, third, fourth].map(({ key }) => key)).toEqual(
        ['sale.txt', 'sale-2.txt', 'sale-3.txt', 'sale-4.txt'].map((name) => `${prefix}/${name}`),
      );
      expect(await library.fileNames()).toEqual(['SALE.txt', 'sale.txt']);
      await library.trash(third);
      fixture.clock.forward({ hours: RULES.trashRetentionDays * HOURS_PER_DAY + 1 });
      await trash().expire();
      expect((await library.addFile('sale.txt')).key).toBe(`${prefix}/sale-5.txt`);
      const otherLibrary = await AppLibrary.create(fixture);
      expect((await otherLibrary.addFile('sale.txt')).key).toBe(`${otherLibrary.app.prefix}/sale.txt`);
    });

    it('queues the removal of all public copies', async () => {
      const { processedFiles, processedFileQueries } = fixture.ports;
      const file = await library.addImage('a.jpg');
      const rendition = {
        content: `_blobs/${library.app.prefix}/r`,
        mime: 'image/webp',
        size: 5,
        width: 8,
        height: 6,
        key: `${library.app.prefix}/a@8.jpg`,
        label: 'w8' as const,
      };
      const result = {
        main: undefined,
        width: null,
        height: null,
        renditions: [rendition],
        replacesRenditions: true,
        pages: [],
      };
      const content = await library.upload({ mime: 'image/jpeg', kind: 'image' });
      await fixture.ports.fileVersions.replace(library.appId, file.id, content, TERMS);
      const otherFile = await library.addFile('b.txt');
      await fixture.ports.fileVersions.replace(library.appId, otherFile.id, await library.upload(), TERMS);
      const target = await processedFileQueries.find(library.appId, file.id);
      await processedFiles.record(library.appId, target!, result);
      const version = await library.keyOfVersion(file.id, 1);
      await runTidyJobs();
      const withdrawnKeys = async (): Promise<ReadonlySet<string>> => {
        const jobs = (await library.runJobPayloads(JOBS.tidy)) as TidyPayload[];
        const withdrawn = jobs.flatMap((job) => job.withdrawn ?? []);
        return new Set(withdrawn.map(({ key, version: number }) => `${key} ${number}`));
      };
      const publicKeys = new Set([`${file.key} 2`, `${rendition.key} 2`, `${version} 1`]);
      await trash().delete(library.appId, [file.key], { ...RULES, servesTrash: false });
      expect(await withdrawnKeys()).toEqual(publicKeys);
      await trash().purge(library.appId, [file.id]);
      expect(await withdrawnKeys()).toEqual(publicKeys);
    });

    it('refuses files outside Trash or of another app', async () => {
      const [file, otherFile] = [await library.addFile('a'), await library.addFile('b')];
      await library.trash(otherFile);
      expect(await trash().purge(library.appId, [file.id])).toEqual([FILE_NOT_IN_TRASH]);
      const { appId } = await AppLibrary.create(fixture);
      expect(await trash().purge(appId, [otherFile.id])).toEqual([FILE_NOT_FOUND]);
      expect([await library.fileNames(), await listTrash()]).toEqual([['a'], ['b']]);
    });

    it('removes the file in only one of several concurrent calls', async () => {
      const file = await library.addFile('a');
      await library.trash(file);
      const results = await Promise.all(Array.from({ length: 4 }, () => trash().purge(library.appId, [file.id])));
      expect(results.filter(([result]) => result === undefined)).toHaveLength(1);
    });
  });

  describe('expire', () => {
    it('purges expired files', async () => {
      await library.trash(await library.addFile('a'));
      fixture.clock.forward({ hours: 30 * HOURS_PER_DAY - 1 });
      await library.trash(await library.addFile('b'));
      await library.addFile('c');
      await trash().expire();
      expect(await listTrash()).toEqual(['b', 'a']);
      fixture.clock.forward({ hours: 1 });
      expect(await trash().expire()).toBeGreaterThanOrEqual(1);
      expect([await listTrash(), await library.fileNames()]).toEqual([['b'], ['c']]);
      expect(await trash().expire()).toBe(0);
      expect((await runTidyJobs()).keys).toEqual(new Set([`${library.app.prefix}/a`]));
    });
  });
}
