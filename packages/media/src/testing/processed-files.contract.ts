import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { JOBS, type FileToProcess, type ProcessedObject, type ProcessingResult, type StoredFile } from '../index.js';
import { HOURS_PER_DAY, MediaFixture, MISSING_ID, TERMS, type GivenMediaLibrary } from './media-library.js';

const NOTHING: ProcessingResult = {
  main: undefined,
  width: null,
  height: null,
  renditions: [],
  replacesRenditions: true,
  pages: [],
};

/** Tests for every adapter of {@link ProcessedFiles} and its queries. */
export function processedFilesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<GivenMediaLibrary>,
): void {
  let given: GivenMediaLibrary;
  let library: MediaFixture;
  let file: StoredFile;
  before(async () => {
    given = await open();
  });
  after(() => given.close());
  beforeEach(async () => {
    library = await MediaFixture.of(given);
    file = await library.image('a.jpg');
  });
  const processed = () => given.ports.processedFiles;
  const found = async (id = file.id) =>
    (await given.ports.processedFileQueries.find(library.appId, id)) as FileToProcess;
  const objectOf = (key: string) => given.ports.mediaObjectQueries.ofKey(library.appId, key);
  const blob = (name: string) => `_blobs/${library.app.prefix}/${name}`;
  const made = (name: string): ProcessedObject => ({
    content: blob(name),
    mime: 'image/webp',
    size: 50,
    width: 8,
    height: 6,
  });
  const rendition = (width: number, name = `r${width}`) => {
    const key = `${library.app.prefix}/a@${width}.jpg`;
    return { ...made(name), width, key, label: `w${width}` as const };
  };
  const page = (number: number, name = `p${number}`) => ({
    ...made(name),
    key: `${file.key}@p${number}.webp`,
    page: number,
  });
  const main = () => ({ ...made('main'), checksum: new Uint8Array(32) });
  const process = async (result: Partial<ProcessingResult>, of?: FileToProcess) => {
    const [target, whole] = [of ?? (await found()), { ...NOTHING, ...result }];
    const recorded = await processed().record(library.appId, target, whole);
    return [recorded, await processed().list(library.appId, target, whole)] as const;
  };
  const labels = async () => (await library.shown(file.id)).renditions.map(({ label }: { label: string }) => label);

  describe('a file to process', () => {
    it('has the values of its preset', async () => {
      expect(await found()).toEqual({
        id: file.id,
        key: file.key,
        prefix: library.app.prefix,
        mime: 'image/jpeg',
        kind: 'image',
        size: 1_000,
        version: 1,
        processing: 'pending',
        content: expect.any(String),
        original: expect.any(String),
        outputFormat: 'webp',
        maxWidth: 2_560,
        quality: 82,
        renditionWidths: [320, 640, 1_280],
      });
    });

    it('is found in Trash, not when missing or being received', async () => {
      const { receipt } = await library.received();
      for (const id of [MISSING_ID, receipt.id]) expect(await found(id)).toBeUndefined();
      await library.trash(file);
      expect(await found()).toMatchObject({ id: file.id });
    });
  });

  describe('a result', () => {
    it('is found by its keys once recorded, and shown once listed', async () => {
      const result = { ...NOTHING, main: main(), renditions: [rendition(640), rendition(320)], pages: [page(1)] };
      const target = await found();
      const keys = [file.key, rendition(640).key, rendition(320).key, page(1).key];
      expect(await processed().record(library.appId, target, result)).toEqual(keys);
      expect(await labels()).toEqual([]);
      expect(await objectOf(file.key)).toMatchObject({ content: blob('main'), mime: 'image/webp', isSettled: false });
      expect(await objectOf(rendition(320).key)).toMatchObject({ content: blob('r320'), isSettled: false });
      const derived = await given.ports.processedFileQueries.derivedKeys(library.appId, file.id);
      expect(derived.sort()).toEqual(keys.slice(1).sort());
      expect(await processed().list(library.appId, target, result)).toEqual([]);
      expect(await labels()).toEqual(['w320', 'w640']);
      expect((await library.shown(file.id)).renditions[0]).toEqual({
        label: 'w320',
        width: 320,
        height: 6,
        size: 50,
        key: rendition(320).key,
        url: library.url(rendition(320).key),
      });
      expect(await objectOf(page(1).key)).toMatchObject({ content: blob('p1'), isSettled: true, version: 1 });
      const shown = { processing: 'done', mime: 'image/webp', size: 50, width: 8, height: 6 };
      expect(await library.shown(file.id)).toMatchObject(shown);
    });

    it('queues the removal of replaced bytes', async () => {
      const { content } = await found();
      await process({ main: main(), renditions: [rendition(320)] });
      await library.jobs(JOBS.tidy);
      await process({ renditions: [rendition(640), rendition(320, 'new')], replacesRenditions: false });
      await process({ main: { ...main(), content: blob('main2') }, renditions: [rendition(100)] });
      const tidied = await library.payloads(JOBS.tidy);
      const blobs = tidied.flatMap((job) => job.blobs);
      expect(new Set(blobs)).toEqual(new Set([blob('main'), blob('new'), blob('r320'), blob('r640')]));
      expect(content).not.toBe(blob('main'));
      expect(await labels()).toEqual(['w100']);
    });

    it('does not affect other files', async () => {
      const other = await library.image('b.jpg');
      const { prefix } = library.app;
      const renditions = [{ ...made('o'), key: `${prefix}/b@320.jpg`, label: 'w320' as const }];
      const pages = [{ ...made('q'), key: `${other.key}@p1.webp`, page: 1 }];
      const target = await found(other.id);
      await processed().record(library.appId, target, { ...NOTHING, renditions, pages });
      const known = [await library.shown(other.id), await objectOf(renditions[0]!.key), await objectOf(pages[0]!.key)];
      await process({ main: main(), width: 3, renditions: [rendition(320), rendition(640)], pages: [page(1)] });
      await process({ renditions: [rendition(100)] });
      const now = [await library.shown(other.id), await objectOf(renditions[0]!.key), await objectOf(pages[0]!.key)];
      expect(now).toEqual(known);
      await processed().list(library.appId, target, { ...NOTHING, renditions, pages });
      expect((await library.shown(other.id)).processing).toBe('done');
    });

    it('may be recorded again', async () => {
      const result = { main: undefined, renditions: [rendition(320)], width: 7 };
      for (let count = 0; count < 2; count += 1) {
        expect(await process(result)).toEqual([[file.key, rendition(320).key], []]);
      }
      expect(await library.shown(file.id)).toMatchObject({ width: 7, height: 600, renditions: [{ label: 'w320' }] });
    });

    it('returns keys without an object', async () => {
      await process({ renditions: [rendition(320), rendition(640)], pages: [page(1), page(2)] });
      const [, gone] = await process({ renditions: [rendition(320)], pages: [page(1)] });
      expect([...(gone as string[])].sort()).toEqual([page(2).key, rendition(640).key].sort());
    });

    it('keeps other renditions unless it replaces them', async () => {
      await process({ renditions: [rendition(320)] });
      await process({ renditions: [rendition(640)], replacesRenditions: false });
      expect(await labels()).toEqual(['w320', 'w640']);
    });

    it('is ignored when the content has changed or the file is gone', async () => {
      const target = await found();
      const taken = { mime: 'image/jpeg', kind: 'image' } as const;
      await given.ports.fileVersions.replace(library.appId, file.id, await library.received(taken), TERMS);
      expect(await process({ renditions: [rendition(320)] }, target)).toEqual([false, false]);
      expect(await objectOf(rendition(320).key)).toBeUndefined();
      const next = await found();
      await library.trash(file);
      expect((await process({ renditions: [rendition(320)] }, next))[0]).toHaveLength(2);
      await given.ports.mediaTrash.purge(library.appId, [file.id]);
      expect(await process({}, next)).toEqual([false, false]);
    });

    it('of an earlier version is removed with the next', async () => {
      await process({ renditions: [rendition(320), rendition(640)] });
      const taken = { mime: 'image/jpeg', kind: 'image' } as const;
      await given.ports.fileVersions.replace(library.appId, file.id, await library.received(taken), TERMS);
      expect(await labels()).toEqual([]);
      expect(await objectOf(rendition(640).key)).toMatchObject({ version: 2, isSettled: false });
      const [, gone] = await process({ renditions: [rendition(320, 'new')], replacesRenditions: false });
      expect(gone).toEqual([rendition(640).key]);
      expect(await objectOf(rendition(320).key)).toMatchObject({ content: blob('new'), version: 2, isSettled: true });
    });
  });

  describe('a failed file', () => {
    it('loses unlisted results and stays as uploaded', async () => {
      const target = await found();
      await processed().record(library.appId, target, { ...NOTHING, renditions: [rendition(320)] });
      const other = await library.image('b.jpg');
      await processed().fail(library.appId, file.id, 2);
      expect((await library.shown(file.id)).processing).toBe('pending');
      await processed().fail(library.appId, file.id, 1);
      expect((await library.shown(file.id)).processing).toBe('failed');
      expect((await library.shown(other.id)).processing).toBe('pending');
      expect(await objectOf(rendition(320).key)).toBeUndefined();
      const tidied = await library.payloads(JOBS.tidy);
      expect(tidied.flatMap(({ keys }) => keys)).toContain(rendition(320).key);
    });

    it('is never a finished one', async () => {
      await process({});
      await processed().fail(library.appId, file.id, 1);
      expect((await library.shown(file.id)).processing).toBe('done');
    });
  });

  describe('a file to publish only', () => {
    it('is finished once', async () => {
      const { appId } = library;
      const other = await library.image('b.jpg');
      expect(await processed().finish(appId, file.id, 2)).toBeUndefined();
      const data = await processed().finish(appId, file.id, 1);
      expect(JSON.parse(data ?? '')).toEqual(await library.shown(file.id));
      expect(JSON.parse(data ?? '').processing).toBe('done');
      expect(await processed().finish(appId, file.id, 1)).toBeUndefined();
      expect((await objectOf(file.key))?.isSettled).toBe(true);
      expect((await library.shown(other.id)).processing).toBe('pending');
    });
  });

  describe('revive', () => {
    const processing = async (id: number) => (await library.shown(id)).processing;

    it('fails files that wait for a lost job', async () => {
      // The job is done without finishing the file.
      await library.jobs(JOBS.process);
      const waiting = await library.image('b.jpg');
      given.clock.forward({ hours: HOURS_PER_DAY });
      const recent = await library.image('c.jpg');
      await processed().revive(given.clock.now());
      const states = [await processing(file.id), await processing(waiting.id), await processing(recent.id)];
      expect(states).toEqual(['failed', 'pending', 'pending']);
    });
  });
}
