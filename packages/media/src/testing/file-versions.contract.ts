import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import {
  FILE_IN_TRASH,
  JOBS,
  NO_VERSION_TO_REVERT,
  type ChangedFile,
  type PurgePayload,
  type ReceivedContent,
  type StoredFile,
} from '../index.js';
import { HOURS_PER_DAY, MediaFixture, MISSING_ID, TERMS, type GivenMediaLibrary } from './media-library.js';

const JPEG = { mime: 'image/jpeg', kind: 'image', size: { width: 80, height: 60 }, bytes: 100 } as const;

/** Tests for every adapter of {@link FileVersions} and its queries. */
export function fileVersionsContract(
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
  const versions = () => given.ports.fileVersions;
  const moment = () => given.clock.now().toISOString().slice(0, 19);
  const tryReplace = async (id: number, content: Partial<ReceivedContent> = {}, terms = TERMS as ChangeTermsOf) =>
    versions().replace(library.appId, id, await library.received(content), terms);
  const replace = async (...values: Parameters<typeof tryReplace>) => (await tryReplace(...values)) as ChangedFile;
  const tryRevert = (id: number, version?: number) => versions().revert(library.appId, id, version, TERMS);
  const list = async (id: number) =>
    JSON.parse((await given.ports.fileVersionQueries.list(library.appId, id)) ?? 'null') as {
      readonly version: number;
    }[];
  const keptOf = async (id: number) => (await list(id)).map(({ version }) => version);
  type ChangeTermsOf = { readonly retentionDays: number; readonly isPurged: boolean };

  describe('replace', () => {
    it('stores the new content and keeps the old one', async () => {
      const file = await library.file('a.txt', { alt: 'x' });
      const uploadedAt = moment();
      given.clock.forward({ hours: 1 });
      const taken = await library.received({ bytes: 9, mime: 'text/csv' });
      const changed = await versions().replace(library.appId, file.id, taken, { retentionDays: 2, isPurged: false });
      const { prefix } = library.app;
      expect(changed).toMatchObject({ id: file.id, key: file.key, version: 2, mime: 'text/csv' });
      expect(changed).toMatchObject({ receiptId: taken.receipt.id, keys: [file.key, `${prefix}/a@v1.txt`] });
      const shown = { size: 9, mime: 'text/csv', version: 2, alt: 'x', url: `${library.url(file.key)}?v=2` };
      const times = { last_modified: moment(), inserted_at: uploadedAt };
      expect(JSON.parse((changed as ChangedFile).data)).toMatchObject({ ...shown, ...times, processing: 'done' });
      const [kept] = await list(file.id);
      expect(kept).toEqual({
        version: 1,
        size: 5,
        mime: 'text/plain',
        url: library.url(`${prefix}/a@v1.txt`),
        inserted_at: uploadedAt,
        purge_at: new Date(given.clock.now().getTime() + 48 * 3_600_000).toISOString().slice(0, 19),
      });
    });

    it('queues the processing of the new content only', async () => {
      const file = await library.image('a.jpg');
      await replace(file.id, JPEG);
      const { data } = await replace(file.id, JPEG);
      expect(JSON.parse(data)).toMatchObject({ processing: 'pending', width: 80, height: 60 });
      expect(await library.payloads(JOBS.process)).toEqual([{ appId: library.appId, fileId: file.id, version: 3 }]);
    });

    it('uses up its receipt, and throws without one', async () => {
      const file = await library.file('a.txt');
      const taken = await library.received();
      await versions().replace(library.appId, file.id, taken, TERMS);
      await expect(versions().replace(library.appId, file.id, taken, TERMS)).rejects.toThrow('receipt');
      expect(await keptOf(file.id)).toEqual([1]);
      expect(await given.ports.mediaFileQueries.find(library.appId, taken.receipt.id)).toBeUndefined();
    });

    it('does not find a missing file, and refuses one in Trash', async () => {
      const file = await library.file('a.txt');
      const check = (id: number) => given.ports.fileVersionQueries.checkReplaceable(library.appId, id);
      expect([await check(file.id), await check(MISSING_ID), await tryReplace(MISSING_ID)]).toEqual([
        true,
        undefined,
        undefined,
      ]);
      await library.trash(file);
      expect([await check(file.id), await tryReplace(file.id)]).toEqual([FILE_IN_TRASH, FILE_IN_TRASH]);
      expect(await list(file.id)).toEqual([]);
      library = await MediaFixture.of(given);
      expect([await check(file.id), await tryReplace(file.id), await list(file.id)]).toEqual([
        undefined,
        undefined,
        null,
      ]);
    });

    it('makes a version per concurrent call', async () => {
      const file = await library.file('a.txt');
      const changed = await Promise.all(Array.from({ length: 5 }, () => replace(file.id)));
      expect(new Set(changed.map(({ version }) => version))).toEqual(new Set([2, 3, 4, 5, 6]));
      expect(await keptOf(file.id)).toEqual([5, 4, 3, 2, 1]);
    });
  });

  describe('revert', () => {
    /** A file of the sizes 1, 2 and 3 in its versions. */
    const withVersions = async (): Promise<StoredFile> => {
      const file = await library.file('a.txt', {}, { bytes: 1 });
      for (const bytes of [2, 3]) await replace(file.id, { bytes });
      return file;
    };

    it('restores the latest version, or the requested one', async () => {
      const file = await withVersions();
      const latest = (await tryRevert(file.id)) as ChangedFile;
      expect([latest.version, latest.receiptId, JSON.parse(latest.data).size]).toEqual([4, undefined, 2]);
      const first = (await tryRevert(file.id, 1)) as ChangedFile;
      expect([first.version, JSON.parse(first.data).size]).toEqual([5, 1]);
      expect(await keptOf(file.id)).toEqual([4, 3, 2, 1]);
    });

    it('refuses versions that are not kept or have expired', async () => {
      const file = await withVersions();
      const other = await library.file('b.txt');
      expect([await tryRevert(file.id, 3), await tryRevert(other.id)]).toEqual([
        NO_VERSION_TO_REVERT,
        NO_VERSION_TO_REVERT,
      ]);
      given.clock.forward({ hours: 30 * HOURS_PER_DAY });
      expect([await tryRevert(file.id), await keptOf(file.id)]).toEqual([NO_VERSION_TO_REVERT, [2, 1]]);
      expect(await tryRevert(MISSING_ID)).toBeUndefined();
      await library.trash(file);
      expect(await tryRevert(file.id)).toEqual(FILE_IN_TRASH);
    });

    it('restores the bytes', async () => {
      const bytesOf = async (id: number) => {
        const { content, original } = (await given.ports.processedFileQueries.find(library.appId, id)) ?? {};
        return { content, original };
      };
      const file = await library.image('a.jpg');
      const uploaded = await bytesOf(file.id);
      const taken = await library.received(JPEG);
      await versions().replace(library.appId, file.id, taken, TERMS);
      const { content, original } = taken.receipt;
      expect(await bytesOf(file.id)).toEqual({ content, original });
      await tryRevert(file.id);
      expect(await bytesOf(file.id)).toEqual(uploaded);
      expect(await library.shown(file.id)).toMatchObject({ width: 800, height: 600, size: 1_000 });
    });

    it('queues new renditions', async () => {
      const file = await library.image('a.jpg');
      await replace(file.id);
      await library.jobs(JOBS.process);
      const { data } = (await tryRevert(file.id)) as ChangedFile;
      expect(JSON.parse(data)).toMatchObject({ mime: 'image/jpeg', width: 800, processing: 'pending' });
      const order = { appId: library.appId, fileId: file.id, version: 3, widths: [320, 640, 1_280] };
      expect(await library.payloads(JOBS.process)).toEqual([order]);
    });
  });

  describe('regenerate', () => {
    it('queues the widths of the last call', async () => {
      const file = await library.image('a.jpg');
      await library.jobs(JOBS.process);
      const order = { appId: library.appId, fileId: file.id };
      expect(await versions().regenerate(library.appId, file.id, undefined)).toBe(true);
      expect(await library.payloads(JOBS.process)).toEqual([{ ...order, widths: [320, 640, 1_280] }]);
      for (const widths of [[10], [20, 30]]) await versions().regenerate(library.appId, file.id, widths);
      expect(await library.payloads(JOBS.process)).toEqual([{ ...order, widths: [20, 30] }]);
    });

    it('does not find a missing file, and refuses one in Trash', async () => {
      const file = await library.file('a.txt');
      await library.trash(file);
      expect(await versions().regenerate(library.appId, MISSING_ID, [1])).toBeUndefined();
      expect(await versions().regenerate(library.appId, file.id, [1])).toEqual(FILE_IN_TRASH);
      expect(await library.payloads(JOBS.process)).toEqual([]);
    });
  });

  describe('the purge of caches', () => {
    const PURGED = { ...TERMS, isPurged: true };
    const purges = async () => (await library.payloads(JOBS.purge)) as PurgePayload[];

    it('waits for processing', async () => {
      const file = await library.image('a.jpg');
      const { keys, version } = await replace(file.id, JPEG, PURGED);
      expect(await purges()).toEqual([]);
      await given.ports.processedFiles.fail(library.appId, file.id, version);
      const [job] = await library.jobs(JOBS.purge);
      expect(job?.payload).toEqual({ appId: library.appId, fileId: file.id, version, keys });
      expect(job).toMatchObject({ attempt: 1, maxAttempts: 10, lastError: null });
    });

    it('is left to the caller without processing', async () => {
      const file = await library.file('a.txt');
      await replace(file.id, {}, PURGED);
      expect(await purges()).toEqual([]);
    });

    it('becomes due when a newer content needs no processing', async () => {
      const file = await library.image('a.jpg');
      await replace(file.id, JPEG, PURGED);
      await replace(file.id);
      expect(await purges()).toMatchObject([{ version: 2 }]);
    });
  });

  describe('expiry', () => {
    it('removes expired versions', async () => {
      const file = await library.file('a.txt');
      await replace(file.id, {}, { retentionDays: 1, isPurged: false });
      await replace(file.id);
      await library.jobs(JOBS.tidy);
      given.clock.forward({ hours: HOURS_PER_DAY });
      expect(await versions().expire()).toBeGreaterThanOrEqual(1);
      expect([await keptOf(file.id), await versions().expire()]).toEqual([[2], 0]);
      const tidied = await library.payloads(JOBS.tidy);
      expect(tidied.flatMap(({ keys }) => keys)).toEqual([`${library.app.prefix}/a@v1.txt`]);
      expect(tidied.flatMap(({ blobs }) => blobs)).toHaveLength(1);
    });
  });
}
