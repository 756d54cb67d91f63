import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  FILE_IN_TRASH,
  JOBS,
  NO_VERSION_TO_REVERT,
  VERSION_NOT_FOUND,
  type ChangedFile,
  type PurgePayload,
  type ReceivedContent,
  type StoredFile,
} from '../index.js';
import { HOURS_PER_DAY, AppLibrary, MISSING_ID, TERMS, type MediaLibraryFixture } from './media-library.js';

const JPEG = { mime: 'image/jpeg', kind: 'image', size: { width: 80, height: 60 }, bytes: 100 } as const;

export function fileVersionsContract(
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
  const versions = () => fixture.ports.fileVersions;
  const currentTime = () => fixture.clock.now().toISOString().slice(0, 19);
  const tryReplace = async (id: number, content: Partial<ReceivedContent> = {}, terms = TERMS as Terms) =>
    versions().replace(library.appId, id, await library.upload(content), terms);
  const replace = async (...values: Parameters<typeof tryReplace>) => (await tryReplace(...values)) as ChangedFile;
  const tryRevert = (id: number, version?: number) => versions().revert(library.appId, id, version, TERMS);
  const list = async (id: number) =>
    JSON.parse((await fixture.ports.fileVersionQueries.list(library.appId, id)) ?? 'null') as {
      readonly version: number;
    }[];
  const keptVersionsOf = async (id: number) => (await list(id)).map(({ version }) => version);
  type Terms = { readonly retentionDays: number; readonly isPurged: boolean };

  describe('replace', () => {
    it('stores the new content and keeps the old content', async () => {
      const file = await library.addFile('a.txt', { alt: 'x' });
      const uploadedAt = currentTime();
      fixture.clock.forward({ hours: 1 });
      const upload = await library.upload({ bytes: 9, mime: 'text/csv' });
      const changedFile = await versions().replace(library.appId, file.id, upload, {
        retentionDays: 2,
        isPurged: false,
      });
      const keptKey = await library.keyOfVersion(file.id, 1);
      expect(changedFile).toMatchObject({ id: file.id, key: file.key, version: 2, mime: 'text/csv' });
      expect(changedFile).toMatchObject({ receiptId: upload.receipt.id, keys: [file.key, keptKey] });
      const expectedFields = { size: 9, mime: 'text/csv', version: 2, alt: 'x', url: `${library.url(file.key)}?v=2` };
      const times = { last_modified: currentTime(), inserted_at: uploadedAt };
      expect(JSON.parse((changedFile as ChangedFile).data)).toMatchObject({
        ...expectedFields,
        ...times,
        processing: 'done',
      });
      const [keptVersion] = await list(file.id);
      expect(keptVersion).toEqual({
        version: 1,
        size: 5,
        mime: 'text/plain',
        url: library.url(keptKey),
        inserted_at: uploadedAt,
        purge_at: new Date(fixture.clock.now().getTime() + 48 * 3_600_000).toISOString().slice(0, 19),
      });
    });

    it('queues only the processing of the new content', async () => {
      const file = await library.addImage('a.jpg');
      await replace(file.id, JPEG);
      const { data } = await replace(file.id, JPEG);
      expect(JSON.parse(data)).toMatchObject({ processing: 'pending', width: 80, height: 60 });
      expect(await library.runJobPayloads(JOBS.process)).toEqual([
        { appId: library.appId, fileId: file.id, version: 3 },
      ]);
    });

    it('throws when the upload receipt was used before', async () => {
      const file = await library.addFile('a.txt');
      const upload = await library.upload();
      await versions().replace(library.appId, file.id, upload, TERMS);
      await expect(versions().replace(library.appId, file.id, upload, TERMS)).rejects.toThrow('receipt');
      expect(await keptVersionsOf(file.id)).toEqual([1]);
      expect(await fixture.ports.mediaFileQueries.find(library.appId, upload.receipt.id)).toBeUndefined();
    });

    it('returns undefined for a missing file, and refuses a file in Trash', async () => {
      const file = await library.addFile('a.txt');
      const check = (id: number) => fixture.ports.fileVersionQueries.checkReplaceable(library.appId, id);
      expect([await check(file.id), await check(MISSING_ID), await tryReplace(MISSING_ID)]).toEqual([
        true,
        undefined,
        undefined,
      ]);
      await library.trash(file);
      expect([await check(file.id), await tryReplace(file.id)]).toEqual([FILE_IN_TRASH, FILE_IN_TRASH]);
      expect(await list(file.id)).toEqual([]);
      library = await AppLibrary.create(fixture);
      expect([await check(file.id), await tryReplace(file.id), await list(file.id)]).toEqual([
        undefined,
        undefined,
        null,
      ]);
    });

    it('keeps one version for each of several concurrent calls', async () => {
      const file = await library.addFile('a.txt');
      const changedFiles = await Promise.all(Array.from({ length: 5 }, () => replace(file.id)));
      expect(new Set(changedFiles.map(({ version }) => version))).toEqual(new Set([2, 3, 4, 5, 6]));
      expect(await keptVersionsOf(file.id)).toEqual([5, 4, 3, 2, 1]);
    });
  });

  describe('revert', () => {
    const addFileWithVersions = async (): Promise<StoredFile> => {
      const file = await library.addFile('a.txt', {}, { bytes: 1 });
      for (const bytes of [2, 3]) await replace(file.id, { bytes });
      return file;
    };

    it('restores the latest or the requested version', async () => {
      const file = await addFileWithVersions();
      const revertedFile = (await tryRevert(file.id)) as ChangedFile;
      expect([revertedFile.version, revertedFile.receiptId, JSON.parse(revertedFile.data).size]).toEqual([
        4,
        undefined,
        2,
      ]);
      const first = (await tryRevert(file.id, 1)) as ChangedFile;
      expect([first.version, JSON.parse(first.data).size]).toEqual([5, 1]);
      expect(await keptVersionsOf(file.id)).toEqual([4, 3, 2, 1]);
    });

    it('refuses versions that are not kept or have expired', async () => {
      const file = await addFileWithVersions();
      const otherFile = await library.addFile('b.txt');
      expect([await tryRevert(file.id, 3), await tryRevert(otherFile.id)]).toEqual([
        NO_VERSION_TO_REVERT,
        NO_VERSION_TO_REVERT,
      ]);
      fixture.clock.forward({ hours: 30 * HOURS_PER_DAY });
      expect([await tryRevert(file.id), await keptVersionsOf(file.id)]).toEqual([NO_VERSION_TO_REVERT, [2, 1]]);
      expect(await tryRevert(MISSING_ID)).toBeUndefined();
      await library.trash(file);
      expect(await tryRevert(file.id)).toEqual(FILE_IN_TRASH);
    });

    it('restores the stored bytes', async () => {
      const blobsOf = async (id: number) => {
        const { content, original } = (await fixture.ports.processedFileQueries.find(library.appId, id)) ?? {};
        return { content, original };
      };
      const file = await library.addImage('a.jpg');
      const uploadedBlobs = await blobsOf(file.id);
      const upload = await library.upload(JPEG);
      await versions().replace(library.appId, file.id, upload, TERMS);
      const { content, original } = upload.receipt;
      expect(await blobsOf(file.id)).toEqual({ content, original });
      await tryRevert(file.id);
      expect(await blobsOf(file.id)).toEqual(uploadedBlobs);
      expect(await library.findFile(file.id)).toMatchObject({ width: 800, height: 600, size: 1_000 });
    });

    it('queues new renditions', async () => {
      const file = await library.addImage('a.jpg');
      await replace(file.id);
      await library.runJobs(JOBS.process);
      const { data } = (await tryRevert(file.id)) as ChangedFile;
      expect(JSON.parse(data)).toMatchObject({ mime: 'image/jpeg', width: 800, processing: 'pending' });
      const payload = { appId: library.appId, fileId: file.id, version: 3, widths: [320, 640, 1_280] };
      expect(await library.runJobPayloads(JOBS.process)).toEqual([payload]);
    });
  });

  describe('regenerate', () => {
    it('queues only the widths of the last call', async () => {
      const file = await library.addImage('a.jpg');
      await library.runJobs(JOBS.process);
      const payload = { appId: library.appId, fileId: file.id };
      expect(await versions().regenerate(library.appId, file.id, undefined)).toBe(true);
      expect(await library.runJobPayloads(JOBS.process)).toEqual([{ ...payload, widths: [320, 640, 1_280] }]);
      for (const widths of [[10], [20, 30]]) await versions().regenerate(library.appId, file.id, widths);
      expect(await library.runJobPayloads(JOBS.process)).toEqual([{ ...payload, widths: [20, 30] }]);
    });

    it('returns undefined for a missing file, and refuses a file in Trash', async () => {
      const file = await library.addFile('a.txt');
      await library.trash(file);
      expect(await versions().regenerate(library.appId, MISSING_ID, [1])).toBeUndefined();
      expect(await versions().regenerate(library.appId, file.id, [1])).toEqual(FILE_IN_TRASH);
      expect(await library.runJobPayloads(JOBS.process)).toEqual([]);
    });
  });

  describe('the purge of CDN caches', () => {
    const PURGE_TERMS = { ...TERMS, isPurged: true };
    const purgePayloads = async () => (await library.runJobPayloads(JOBS.purge)) as PurgePayload[];

    it('is queued only after processing has ended', async () => {
      const file = await library.addImage('a.jpg');
      const { keys, version } = await replace(file.id, JPEG, PURGE_TERMS);
      expect(await purgePayloads()).toEqual([]);
      await fixture.ports.processedFiles.fail(library.appId, file.id, version);
      const [job] = await library.runJobs(JOBS.purge);
      expect(job?.payload).toEqual({ appId: library.appId, fileId: file.id, version, keys });
      expect(job).toMatchObject({ attempt: 1, maxAttempts: 10, lastError: null });
    });

    it('is not queued when the new content needs no processing', async () => {
      const file = await library.addFile('a.txt');
      await replace(file.id, {}, PURGE_TERMS);
      expect(await purgePayloads()).toEqual([]);
    });

    it('is queued at once when unprocessed content is replaced by content that needs no processing', async () => {
      const file = await library.addImage('a.jpg');
      await replace(file.id, JPEG, PURGE_TERMS);
      await replace(file.id);
      expect(await purgePayloads()).toMatchObject([{ version: 2 }]);
    });
  });

  describe('the key of a kept version', () => {
    it('has 128 random bits', async () => {
      const file = await library.addFile('a.txt');
      for (let count = 0; count < 2; count += 1) await replace(file.id);
      const keys = [await library.keyOfVersion(file.id, 1), await library.keyOfVersion(file.id, 2)];
      const secrets = keys.map((key) => /\/a@v[12]-([\da-f]{32})\.txt$/.exec(key)?.[1]);
      expect([new Set(secrets).size, secrets.includes(undefined)]).toEqual([2, false]);
    });
  });

  describe('purge', () => {
    const findObject = (key: string) => fixture.ports.mediaObjectQueries.findObject(library.appId, key);

    it('removes one version and queues the removal of its bytes and cached copies', async () => {
      const file = await library.addFile('a.txt');
      for (let count = 0; count < 3; count += 1) await replace(file.id);
      await library.runJobs(JOBS.tidy);
      const key = await library.keyOfVersion(file.id, 2);
      expect(await findObject(key)).toBeDefined();
      expect(await versions().purge(library.appId, file.id, 2)).toBe(true);
      expect([await keptVersionsOf(file.id), await findObject(key)]).toEqual([[3, 1], undefined]);
      const tidyPayloads = await library.runJobPayloads(JOBS.tidy);
      expect(tidyPayloads.flatMap(({ blobs }) => blobs)).toHaveLength(1);
      expect(tidyPayloads.flatMap(({ withdrawn = [] }) => withdrawn)).toEqual([
        { key, version: 1 },
        { key: file.key, version: 2 },
      ]);
      expect(await tryRevert(file.id, 2)).toEqual(NO_VERSION_TO_REVERT);
    });

    it('removes a version of a file in Trash', async () => {
      const file = await library.addFile('a.txt');
      await replace(file.id);
      await library.trash(file);
      expect(await versions().purge(library.appId, file.id, 1)).toBe(true);
    });

    it('returns undefined for a missing file, and refuses a version that is not kept', async () => {
      const file = await library.addFile('a.txt');
      await replace(file.id);
      const purge = (version: number, id = file.id) => versions().purge(library.appId, id, version);
      expect([await purge(2), await purge(0), await purge(2 ** 31), await purge(1, MISSING_ID)]).toEqual([
        VERSION_NOT_FOUND,
        VERSION_NOT_FOUND,
        VERSION_NOT_FOUND,
        undefined,
      ]);
      const otherLibrary = await AppLibrary.create(fixture);
      expect(await versions().purge(otherLibrary.appId, file.id, 1)).toBeUndefined();
      expect(await keptVersionsOf(file.id)).toEqual([1]);
    });

    it('removes the version in only one of several concurrent calls', async () => {
      const file = await library.addFile('a.txt');
      await replace(file.id);
      const results = await Promise.all(Array.from({ length: 4 }, () => versions().purge(library.appId, file.id, 1)));
      expect(results.filter((result) => result === true)).toHaveLength(1);
    });
  });

  describe('the expiry of kept versions', () => {
    it('removes expired versions', async () => {
      const file = await library.addFile('a.txt');
      await replace(file.id, {}, { retentionDays: 1, isPurged: false });
      await replace(file.id);
      await library.runJobs(JOBS.tidy);
      const expiredKey = await library.keyOfVersion(file.id, 1);
      fixture.clock.forward({ hours: HOURS_PER_DAY });
      expect(await versions().expire()).toBeGreaterThanOrEqual(1);
      expect([await keptVersionsOf(file.id), await versions().expire()]).toEqual([[2], 0]);
      const tidyPayloads = await library.runJobPayloads(JOBS.tidy);
      expect(tidyPayloads.flatMap(({ keys }) => keys)).toEqual([expiredKey]);
      expect(tidyPayloads.flatMap(({ blobs }) => blobs)).toHaveLength(1);
    });
  });
}
