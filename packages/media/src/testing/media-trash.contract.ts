import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { FILE_NOT_FOUND, FILE_NOT_IN_TRASH, FILE_REFERENCED, JOBS, type TidyPayload } from '../index.js';
import { HOURS_PER_DAY, MediaFixture, MISSING_ID, RULES, TERMS, type GivenMediaLibrary } from './media-library.js';

/** Tests for every adapter of {@link MediaTrash}. */
export function mediaTrashContract(
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
    await library.jobs(JOBS.tidy);
  });
  const trash = () => given.ports.mediaTrash;
  const moment = () => given.clock.now().toISOString().slice(0, 19);
  const trashed = async (): Promise<string[]> => {
    const page = { offset: 0, limit: 100 };
    const text = await given.ports.mediaFileQueries.trash(library.appId, undefined, undefined, page);
    return JSON.parse(text).files.map(({ filename }: { filename: string }) => filename);
  };
  const tidied = async () => {
    const jobs = (await library.payloads(JOBS.tidy)) as TidyPayload[];
    return { blobs: new Set(jobs.flatMap(({ blobs }) => blobs)), keys: new Set(jobs.flatMap(({ keys }) => keys)) };
  };

  describe('delete', () => {
    it('trashes files, with one result per key', async () => {
      const [a, b] = [await library.file('a'), await library.file('b')];
      const keys = [b.key, 'missing', a.key, b.key, '\u0000', '\ud800'];
      const outcomes = await trash().delete(library.appId, keys, RULES);
      expect(outcomes).toEqual([undefined, FILE_NOT_FOUND, undefined, undefined, FILE_NOT_FOUND, FILE_NOT_FOUND]);
      expect([await library.names(), await trashed()]).toEqual([[], ['b', 'a']]);
    });

    it('leaves trashed files unchanged', async () => {
      const file = await library.file('a');
      await library.trash(file);
      const deletedAt = moment();
      given.clock.forward({ hours: 5 });
      expect(await library.trash(file)).toEqual([undefined]);
      const text = await given.ports.mediaFileQueries.trash(library.appId, 'a', undefined, { offset: 0, limit: 1 });
      expect(JSON.parse(text).files[0].deleted_at).toBe(deletedAt);
    });

    it('keeps files in use if the rules say so', async () => {
      const [used, other] = [await library.file('a'), await library.file('b')];
      await library.use(used);
      const keys = [used.key, other.key];
      const rules = { ...RULES, refusesDeleteInUse: true };
      expect(await trash().delete(library.appId, keys, rules)).toEqual([FILE_REFERENCED, undefined]);
      expect(await trash().delete(library.appId, keys, RULES)).toEqual([undefined, undefined]);
      expect(await trash().delete(library.appId, keys, rules)).toEqual([undefined, undefined]);
    });

    it('does not find files of another app or being received', async () => {
      const { key } = await library.file('a');
      const other = await MediaFixture.of(given);
      expect(await trash().delete(other.appId, [key], RULES)).toEqual([FILE_NOT_FOUND]);
      expect(await library.names()).toEqual(['a']);
    });
  });

  describe('purge', () => {
    it('removes trashed files and queues the removal of their bytes', async () => {
      const taken = await library.received({ mime: 'image/jpeg', kind: 'image' });
      const { content, original } = taken.receipt;
      const file = await library.file('a.jpg', {}, taken);
      const next = await library.received();
      await given.ports.fileVersions.replace(library.appId, file.id, next, TERMS);
      const other = await library.file('b.txt');
      await given.ports.fileVersions.replace(library.appId, other.id, await library.received(), TERMS);
      for (const each of [file, other]) await library.trash(each);
      await tidied();
      const ids = [file.id, MISSING_ID, file.id];
      expect(await trash().purge(library.appId, ids)).toEqual([undefined, FILE_NOT_FOUND, undefined]);
      const version = `${library.app.prefix}/a@v1.jpg`;
      expect(await tidied()).toEqual({
        blobs: new Set([content, original, next.receipt.content]),
        keys: new Set([file.key, version]),
      });
      expect(await given.ports.mediaObjectQueries.ofKey(library.appId, version)).toBeUndefined();
      const kept = [other.key, `${library.app.prefix}/b@v1.txt`];
      for (const key of kept) expect(await given.ports.mediaObjectQueries.ofKey(library.appId, key)).toBeDefined();
      expect(await trash().purge(library.appId, [file.id])).toEqual([FILE_NOT_FOUND]);
    });

    it('refuses files outside Trash or of another app', async () => {
      const [file, other] = [await library.file('a'), await library.file('b')];
      await library.trash(other);
      expect(await trash().purge(library.appId, [file.id])).toEqual([FILE_NOT_IN_TRASH]);
      const { appId } = await MediaFixture.of(given);
      expect(await trash().purge(appId, [other.id])).toEqual([FILE_NOT_FOUND]);
      expect([await library.names(), await trashed()]).toEqual([['a'], ['b']]);
    });

    it('succeeds for one of several concurrent calls', async () => {
      const file = await library.file('a');
      await library.trash(file);
      const all = await Promise.all(Array.from({ length: 4 }, () => trash().purge(library.appId, [file.id])));
      expect(all.filter(([outcome]) => outcome === undefined)).toHaveLength(1);
    });
  });

  describe('expire', () => {
    it('purges expired files', async () => {
      await library.trash(await library.file('a'));
      given.clock.forward({ hours: 30 * HOURS_PER_DAY - 1 });
      await library.trash(await library.file('b'));
      await library.file('c');
      await trash().expire();
      expect(await trashed()).toEqual(['b', 'a']);
      given.clock.forward({ hours: 1 });
      expect(await trash().expire()).toBeGreaterThanOrEqual(1);
      expect([await trashed(), await library.names()]).toEqual([['b'], ['c']]);
      expect(await trash().expire()).toBe(0);
      expect((await tidied()).keys).toEqual(new Set([`${library.app.prefix}/a`]));
    });
  });
}
