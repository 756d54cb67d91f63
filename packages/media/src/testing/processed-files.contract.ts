import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { JOBS, type FileToProcess, type ProcessedObject, type ProcessingResult, type StoredFile } from '../index.js';
import { HOURS_PER_DAY, AppLibrary, MISSING_ID, TERMS, type MediaLibraryFixture } from './media-library.js';

const EMPTY_RESULT: ProcessingResult = {
  main: undefined,
  width: null,
  height: null,
  renditions: [],
  replacesRenditions: true,
  pages: [],
};

export function processedFilesContract(
  { describe, it, before, after, beforeEach }: Runner,
  open: () => Promise<MediaLibraryFixture>,
): void {
  let fixture: MediaLibraryFixture;
  let library: AppLibrary;
  let file: StoredFile;
  before(async () => {
    fixture = await open();
  });
  after(() => fixture.close());
  beforeEach(async () => {
    library = await AppLibrary.create(fixture);
    file = await library.addImage('a.jpg');
  });
  const processed = () => fixture.ports.processedFiles;
  const findFile = async (id = file.id) =>
    (await fixture.ports.processedFileQueries.find(library.appId, id)) as FileToProcess;
  const objectOf = (key: string) => fixture.ports.mediaObjectQueries.findObject(library.appId, key);
  const blobKey = (name: string) => `_blobs/${library.app.prefix}/${name}`;
  const makeObject = (name: string): ProcessedObject => ({
    content: blobKey(name),
    mime: 'image/webp',
    size: 50,
    width: 8,
    height: 6,
  });
  const makeRendition = (width: number, name = `r${width}`) => {
    const key = `${library.app.prefix}/a@${width}.jpg`;
    return { ...makeObject(name), width, key, label: `w${width}` as const };
  };
  const makePage = (number: number, name = `p${number}`) => ({
    ...makeObject(name),
    key: `${file.key}@p${number}.webp`,
    page: number,
  });
  const makeMain = () => ({ ...makeObject('main'), checksum: new Uint8Array(32) });
  const process = async (result: Partial<ProcessingResult>, fileToProcess?: FileToProcess) => {
    const [target, fullResult] = [fileToProcess ?? (await findFile()), { ...EMPTY_RESULT, ...result }];
    const recordedKeys = await processed().record(library.appId, target, fullResult);
    return [recordedKeys, await processed().list(library.appId, target, fullResult)] as const;
  };
  const listLabels = async () =>
    (await library.findFile(file.id)).renditions.map(({ label }: { label: string }) => label);

  describe('a file to process', () => {
    it('has the values of its preset', async () => {
      expect(await findFile()).toEqual({
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
        keptWidths: [],
      });
    });

    it('is found in Trash, but not when missing or being received', async () => {
      const { receipt } = await library.upload();
      for (const id of [MISSING_ID, receipt.id]) expect(await findFile(id)).toBeUndefined();
      await library.trash(file);
      expect(await findFile()).toMatchObject({ id: file.id });
    });
  });

  describe('the result of processing', () => {
    it('is found by its keys once recorded, and is shown with the file once it is complete', async () => {
      const result = {
        ...EMPTY_RESULT,
        main: makeMain(),
        renditions: [makeRendition(640), makeRendition(320)],
        pages: [makePage(1)],
      };
      const target = await findFile();
      const keys = [file.key, makeRendition(640).key, makeRendition(320).key, makePage(1).key];
      expect(await processed().record(library.appId, target, result)).toEqual(keys);
      expect(await listLabels()).toEqual([]);
      expect(await objectOf(file.key)).toMatchObject({
        content: blobKey('main'),
        mime: 'image/webp',
        isImmutable: false,
      });
      expect(await objectOf(makeRendition(320).key)).toMatchObject({ content: blobKey('r320'), isImmutable: false });
      const derivedKeys = await fixture.ports.processedFileQueries.derivedKeys(library.appId, file.id);
      expect(derivedKeys.sort()).toEqual(keys.slice(1).sort());
      expect(await processed().list(library.appId, target, result)).toEqual([]);
      expect(await listLabels()).toEqual(['w320', 'w640']);
      expect((await library.findFile(file.id)).renditions[0]).toEqual({
        label: 'w320',
        width: 320,
        height: 6,
        size: 50,
        key: makeRendition(320).key,
        url: library.url(makeRendition(320).key),
      });
      expect(await objectOf(makePage(1).key)).toMatchObject({ content: blobKey('p1'), isImmutable: true, version: 1 });
      const expectedFields = { processing: 'done', mime: 'image/webp', size: 50, width: 8, height: 6 };
      expect(await library.findFile(file.id)).toMatchObject(expectedFields);
    });

    it('queues the removal of replaced bytes', async () => {
      const { content } = await findFile();
      const removedBlobs = async () => new Set((await library.runJobPayloads(JOBS.tidy)).flatMap(({ blobs }) => blobs));
      await process({ main: makeMain(), renditions: [makeRendition(320), makeRendition(200)], pages: [makePage(1)] });
      await library.runJobs(JOBS.tidy);
      await process({
        renditions: [makeRendition(640), makeRendition(320, 'new')],
        pages: [makePage(2)],
        replacesRenditions: false,
      });
      expect(await removedBlobs()).toEqual(new Set([blobKey('r320'), makePage(1).content]));
      await process({ main: { ...makeMain(), content: blobKey('main2') }, renditions: [makeRendition(100)] });
      expect(await removedBlobs()).toEqual(
        new Set([blobKey('main'), blobKey('new'), blobKey('r200'), blobKey('r640'), makePage(2).content]),
      );
      expect(content).not.toBe(blobKey('main'));
      expect(await listLabels()).toEqual(['w100']);
    });

    it('does not affect other files', async () => {
      const otherFile = await library.addImage('b.jpg');
      const { prefix } = library.app;
      const renditions = [{ ...makeObject('o'), key: `${prefix}/b@320.jpg`, label: 'w320' as const }];
      const pages = [{ ...makeObject('q'), key: `${otherFile.key}@p1.webp`, page: 1 }];
      const target = await findFile(otherFile.id);
      await processed().record(library.appId, target, { ...EMPTY_RESULT, renditions, pages });
      const stateBefore = [
        await library.findFile(otherFile.id),
        await objectOf(renditions[0]!.key),
        await objectOf(pages[0]!.key),
      ];
      await process({
        main: makeMain(),
        width: 3,
        renditions: [makeRendition(320), makeRendition(640)],
        pages: [makePage(1)],
      });
      await process({ renditions: [makeRendition(100)] });
      const stateAfter = [
        await library.findFile(otherFile.id),
        await objectOf(renditions[0]!.key),
        await objectOf(pages[0]!.key),
      ];
      expect(stateAfter).toEqual(stateBefore);
      await processed().list(library.appId, target, { ...EMPTY_RESULT, renditions, pages });
      expect((await library.findFile(otherFile.id)).processing).toBe('done');
    });

    it('can be recorded twice', async () => {
      const result = { main: undefined, renditions: [makeRendition(320)], width: 7 };
      for (let count = 0; count < 2; count += 1) {
        expect(await process(result)).toEqual([[file.key, makeRendition(320).key], []]);
      }
      expect(await library.findFile(file.id)).toMatchObject({ width: 7, height: 600, renditions: [{ label: 'w320' }] });
    });

    it('returns the keys of earlier renditions and pages that the new result lacks', async () => {
      await process({ renditions: [makeRendition(320), makeRendition(640)], pages: [makePage(1), makePage(2)] });
      const [, keysWithoutObject] = await process({ renditions: [makeRendition(320)], pages: [makePage(1)] });
      expect([...(keysWithoutObject as string[])].sort()).toEqual([makePage(2).key, makeRendition(640).key].sort());
    });

    it('keeps earlier renditions if `replacesRenditions` is false', async () => {
      await process({ renditions: [makeRendition(320)] });
      await process({ renditions: [makeRendition(640)], pages: [makePage(1)], replacesRenditions: false });
      expect(await listLabels()).toEqual(['w320', 'w640']);
      const [, keysWithoutObject] = await process({ replacesRenditions: false });
      expect(keysWithoutObject).toEqual([makePage(1).key]);
      expect(await listLabels()).toEqual(['w320', 'w640']);
    });

    it('is ignored when the content of the file has changed or the file is gone', async () => {
      const target = await findFile();
      const content = { mime: 'image/jpeg', kind: 'image' } as const;
      await fixture.ports.fileVersions.replace(library.appId, file.id, await library.upload(content), TERMS);
      expect(await process({ renditions: [makeRendition(320)] }, target)).toEqual([false, false]);
      expect(await objectOf(makeRendition(320).key)).toBeUndefined();
      const newTarget = await findFile();
      await library.trash(file);
      expect((await process({ renditions: [makeRendition(320)] }, newTarget))[0]).toHaveLength(2);
      await fixture.ports.mediaTrash.purge(library.appId, [file.id]);
      expect(await process({}, newTarget)).toEqual([false, false]);
    });

    it('is replaced by the first result for the next version of the file', async () => {
      await process({ renditions: [makeRendition(320), makeRendition(640)] });
      const content = { mime: 'image/jpeg', kind: 'image' } as const;
      await fixture.ports.fileVersions.replace(library.appId, file.id, await library.upload(content), TERMS);
      expect(await listLabels()).toEqual([]);
      expect(await objectOf(makeRendition(640).key)).toMatchObject({ version: 2, isImmutable: false });
      const [, keysWithoutObject] = await process({
        renditions: [makeRendition(320, 'new')],
        replacesRenditions: false,
      });
      expect(keysWithoutObject).toEqual([makeRendition(640).key]);
      expect(await objectOf(makeRendition(320).key)).toMatchObject({
        content: blobKey('new'),
        version: 2,
        isImmutable: true,
      });
    });
  });

  describe('a rendition that a later result lacks', () => {
    const image = { mime: 'image/jpeg', kind: 'image' } as const;
    const replaceFile = async (content: Parameters<typeof library.upload>[0] = image) =>
      fixture.ports.fileVersions.replace(library.appId, file.id, await library.upload(content), TERMS);
    const retiredKey = () => makeRendition(640).key;
    const unowned = () => fixture.ports.mediaObjectQueries.unownedKeys(library.appId, [retiredKey()]);

    it('has the content of the file under its key, as long as the file lives', async () => {
      await process({ renditions: [makeRendition(320), makeRendition(640)] });
      await replaceFile();
      expect((await findFile()).keptWidths).toEqual([320, 640]);
      const [recordedKeys] = await process({ main: makeMain(), renditions: [makeRendition(320, 'new')] });
      expect(recordedKeys).toEqual([file.key, makeRendition(320).key]);
      expect(await objectOf(retiredKey())).toMatchObject({ content: blobKey('main'), version: 2, isImmutable: false });
      expect([await listLabels(), (await findFile()).keptWidths]).toEqual([['w320'], [640]]);
      const nextMain = { ...makeMain(), content: blobKey('next') };
      expect((await process({ main: nextMain, renditions: [makeRendition(320, 'next')] }))[0]).toContain(retiredKey());
      expect((await objectOf(retiredKey()))?.content).toBe(blobKey('next'));
      expect(await fixture.ports.processedFileQueries.derivedKeys(library.appId, file.id)).toContain(retiredKey());
      expect([await unowned(), await fixture.ports.mediaObjectQueries.keysAfter(library.appId, '')]).toEqual([
        [],
        expect.arrayContaining([retiredKey()]),
      ]);
      await library.trash(file);
      await library.runJobs(JOBS.tidy);
      await fixture.ports.mediaTrash.purge(library.appId, [file.id]);
      const withdrawn = (await library.runJobPayloads(JOBS.tidy)).flatMap((payload) => payload.withdrawn ?? []);
      expect(withdrawn).toContainEqual({ key: retiredKey(), version: 2 });
      expect([await objectOf(retiredKey()), await unowned()]).toEqual([undefined, [retiredKey()]]);
    });

    it('is listed again when a later image is wide enough', async () => {
      await process({ renditions: [makeRendition(640)] });
      await process({});
      await process({ renditions: [makeRendition(640, 'again')], replacesRenditions: false });
      expect(await objectOf(retiredKey())).toMatchObject({ content: blobKey('again'), isImmutable: true });
      expect([await listLabels(), (await findFile()).keptWidths]).toEqual([['w640'], []]);
    });

    it('has the content of a file that fails or is no image any more', async () => {
      await process({ renditions: [makeRendition(640)] });
      await replaceFile();
      const { content } = await findFile();
      await processed().fail(library.appId, file.id, 2);
      expect((await objectOf(retiredKey()))?.content).toBe(content);
      await replaceFile({ mime: 'text/plain', kind: 'doc' });
      expect(await objectOf(retiredKey())).toMatchObject({ mime: 'text/plain', version: 3 });
    });
  });

  describe('a file whose processing fails', () => {
    it('loses incomplete results and stays as uploaded', async () => {
      const target = await findFile();
      await processed().record(library.appId, target, { ...EMPTY_RESULT, renditions: [makeRendition(320)] });
      const otherFile = await library.addImage('b.jpg');
      await library.runJobs(JOBS.tidy);
      await processed().fail(library.appId, file.id, 2);
      expect((await library.findFile(file.id)).processing).toBe('pending');
      await processed().fail(library.appId, file.id, 1);
      expect((await library.findFile(file.id)).processing).toBe('failed');
      expect((await library.findFile(otherFile.id)).processing).toBe('pending');
      expect(await objectOf(makeRendition(320).key)).toBeUndefined();
      const tidyPayloads = await library.runJobPayloads(JOBS.tidy);
      expect(tidyPayloads.flatMap(({ keys }) => keys)).toContain(makeRendition(320).key);
      expect(tidyPayloads.flatMap(({ blobs }) => blobs)).toContain(makeRendition(320).content);
    });

    it('stays processed when processing had already succeeded', async () => {
      await process({});
      await processed().fail(library.appId, file.id, 1);
      expect((await library.findFile(file.id)).processing).toBe('done');
    });
  });

  describe('a file that needs only a public copy', () => {
    it('is finished once', async () => {
      const { appId } = library;
      const otherFile = await library.addImage('b.jpg');
      expect(await processed().finish(appId, file.id, 2)).toBeUndefined();
      const data = await processed().finish(appId, file.id, 1);
      expect(JSON.parse(data ?? '')).toEqual(await library.findFile(file.id));
      expect(JSON.parse(data ?? '').processing).toBe('done');
      expect(await processed().finish(appId, file.id, 1)).toBeUndefined();
      expect((await objectOf(file.key))?.isImmutable).toBe(true);
      expect((await library.findFile(otherFile.id)).processing).toBe('pending');
    });
  });

  describe('revive of lost processing jobs', () => {
    const processingState = async (id: number) => (await library.findFile(id)).processing;

    it('does not change files that were changed at the given time or later', async () => {
      await library.runJobs(JOBS.process);
      await processed().revive(fixture.clock.now());
      expect(await processingState(file.id)).toBe('pending');
    });

    it('marks files that wait for a lost job as failed', async () => {
      // Runs the job of the first file without finishing the file.
      await library.runJobs(JOBS.process);
      const waitingFile = await library.addImage('b.jpg');
      fixture.clock.forward({ hours: HOURS_PER_DAY });
      const recentFile = await library.addImage('c.jpg');
      await processed().revive(fixture.clock.now());
      const states = [
        await processingState(file.id),
        await processingState(waitingFile.id),
        await processingState(recentFile.id),
      ];
      expect(states).toEqual(['failed', 'pending', 'pending']);
    });
  });
}
