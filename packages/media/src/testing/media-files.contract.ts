import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { FILE_NAME_TAKEN, FILE_NOT_FOUND, JOBS } from '../index.js';
import {
  ANY_FILE,
  HOURS_PER_DAY,
  AppLibrary,
  MISSING_ID,
  pathOf,
  TERMS,
  type MediaLibraryFixture,
} from './media-library.js';

export function mediaFilesContract(
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
  const files = () => fixture.ports.mediaFiles;
  const edit = async (...values: Parameters<ReturnType<typeof files>['edit']>) => {
    const result = await files().edit(...values);
    return typeof result === 'string' ? JSON.parse(result) : result;
  };

  describe('store', () => {
    it('returns the same file as a later read', async () => {
      const textFields = { alt: 'Alt', caption: 'Caption', description: 'Words', tags: ['b', 'a'], source: 'camera' };
      const { id, key, data } = await library.addFile('Ципела.TXT', { folder: pathOf('p/Q r'), ...textFields });
      expect(key).toBe(`${library.app.prefix}/p/q-r/cipela.txt`);
      const now = fixture.clock.now().toISOString().slice(0, 19);
      const storedFields = JSON.parse(data);
      expect(storedFields).toEqual({
        id,
        filename: 'Ципела.TXT',
        key,
        url: library.url(key),
        folder: 'p/Q r',
        size: 5,
        mime: 'text/plain',
        width: null,
        height: null,
        ...textFields,
        version: 1,
        renditions: [],
        usage_count: 0,
        hidden: false,
        hidden_by: null,
        hidden_at: null,
        hidden_note: null,
        processing: 'done',
        last_modified: now,
        inserted_at: now,
      });
      expect(await library.findFile(id)).toEqual(storedFields);
      expect(await library.folderPaths()).toEqual(['p', 'p/Q r']);
    });

    it('sets the times of the file to the end of its upload', async () => {
      const upload = await library.upload();
      fixture.clock.forward({ hours: 1 });
      const { id } = await library.addFile('a.txt', {}, upload);
      const now = fixture.clock.now().toISOString().slice(0, 19);
      expect(await library.findFile(id)).toMatchObject({ last_modified: now, inserted_at: now });
    });

    it('returns the fields of the file in the same order as all other calls', async () => {
      const { id, data } = await library.addFile('a.txt');
      expect(Object.keys(JSON.parse(data))).toEqual(Object.keys(await library.findFile(id)));
      expect(Object.keys(JSON.parse(data)).slice(0, 8)).toEqual(
        ['id', 'filename', 'key', 'url', 'folder', 'size', 'mime', 'width'], // The order is that of the interface.
      );
    });

    it('queues only files that need processing', async () => {
      await library.addFile('a.txt');
      const { id, data } = await library.addImage('a.jpg');
      expect(JSON.parse(data)).toMatchObject({ processing: 'pending', width: 800, height: 600 });
      expect(await library.runJobPayloads(JOBS.process)).toEqual([{ appId: library.appId, fileId: id, version: 1 }]);
    });

    it('queues every file when the media store serves files itself', async () => {
      fixture.setPublished(true);
      const { id, data } = await library.addFile('a.txt');
      fixture.setPublished(false);
      expect(JSON.parse(data).processing).toBe('pending');
      expect(await library.runJobPayloads(JOBS.process)).toEqual([{ appId: library.appId, fileId: id, version: 1 }]);
    });

    it('refuses a name that is in use in the folder, or appends a number when requested', async () => {
      await library.addFile('a.txt');
      expect(await library.store({ name: 'a.txt' })).toEqual(FILE_NAME_TAKEN);
      for (let count = 0; count < 2; count += 1) await library.addFile('a.txt', { onConflict: 'rename' });
      await library.addFile('A.txt');
      await library.addFile('a.txt', { folder: pathOf('p') });
      expect(await library.fileNames()).toEqual(['a (2).txt', 'a (3).txt', 'A.txt', 'a.txt']);
    });

    it('keeps the upload receipt usable when it refuses the upload', async () => {
      await library.addFile('a.txt');
      const upload = await library.upload();
      const newFile = { name: 'b.txt', folder: pathOf(''), onConflict: 'error', presetId: MISSING_ID } as const;
      const textFields = { alt: null, caption: null, description: null, tags: [], source: null };
      const refusal = await files().store(library.app, upload, { ...newFile, ...textFields });
      expect(refusal).toEqual({ refused: 'is invalid', field: 'preset_id' });
      expect(
        await files().store(library.app, upload, { ...newFile, ...textFields, presetId: undefined }),
      ).toMatchObject({
        id: upload.receipt.id,
      });
    });

    it('gives each file a unique key, even beside files in Trash', async () => {
      const firstFile = await library.addFile('a b.txt');
      await library.trash(firstFile);
      const keys = [await library.addFile('a b.txt'), await library.addFile('A-b.txt')].map(({ key }) => key);
      expect(keys).toEqual([`${library.app.prefix}/a-b-2.txt`, `${library.app.prefix}/a-b-3.txt`]);
    });

    it('throws without an upload receipt and stores nothing', async () => {
      const upload = await library.upload({ mime: 'image/jpeg', kind: 'image' });
      await fixture.ports.uploadReceipts.end(upload.receipt);
      const file = { name: 'a.jpg', folder: pathOf('p'), onConflict: 'error', presetId: undefined } as const;
      const textFields = { alt: null, caption: null, description: null, tags: [], source: null };
      await expect(files().store(library.app, upload, { ...file, ...textFields })).rejects.toThrow('receipt');
      expect([await library.folderPaths(), await library.runJobPayloads(JOBS.process)]).toEqual([[], []]);
    });

    it('gives unique names and keys to files that are stored concurrently', async () => {
      const pendingFiles = Array.from({ length: 8 }, () =>
        library.addFile('a.txt', { onConflict: 'rename', folder: pathOf('p/q') }),
      );
      const keys = (await Promise.all(pendingFiles)).map(({ key }) => key);
      expect(new Set(keys).size).toBe(8);
      expect(new Set(await library.fileNames('p/q')).size).toBe(8);
      expect(await library.folderPaths()).toEqual(['p', 'p/q']);
    });

    it('stores only one of many files with the same name that are sent concurrently', async () => {
      const results = await Promise.all(Array.from({ length: 6 }, () => library.store({ name: 'a.txt' })));
      expect(results.filter((result) => 'refused' in result)).toEqual(Array(5).fill(FILE_NAME_TAKEN));
    });
  });

  describe('edit', () => {
    it('changes the given fields and returns the file without URL', async () => {
      const { id, key, data } = await library.addFile('a.txt', { alt: 'x', caption: 'y', tags: ['t'] });
      const { url: _url, ...shown } = JSON.parse(data);
      const changedFields = { filename: 'b.txt', alt: null, tags: ['u', 'v'] };
      const editedFile = await edit(library.appId, id, { name: 'b.txt', alt: null, tags: ['u', 'v'] });
      expect(editedFile).toEqual({ ...shown, ...changedFields, key });
      expect(await library.findFile(id)).toMatchObject(changedFields);
    });

    it('keeps the file searchable by its unchanged texts', async () => {
      const { id } = await library.addFile('a.txt', { alt: 'Sun', caption: 'Moon', tags: ['star'] });
      await edit(library.appId, id, { alt: 'Cloud' });
      const find = async (search: string): Promise<number> => {
        const page = { offset: 0, limit: 10 };
        const filter = { ...ANY_FILE, search };
        const { json } = await fixture.ports.mediaFileQueries.list(library.appId, filter, undefined, page);
        return JSON.parse(json).total_count;
      };
      const found = await Promise.all(['cloud', 'moon', 'star', 'a.txt', 'sun'].map(find));
      expect(found).toEqual([1, 1, 1, 1, 0]);
    });

    it('hides and unhides a file', async () => {
      const { id } = await library.addFile('a.txt');
      const now = fixture.clock.now().toISOString().slice(0, 19);
      const hiddenFields = { hidden: true, hidden_by: 'app', hidden_at: now, hidden_note: 'old' };
      expect(await edit(library.appId, id, { hidden: true, hiddenNote: 'old' })).toMatchObject(hiddenFields);
      fixture.clock.forward({ hours: 1 });
      expect(await edit(library.appId, id, { hidden: true })).toMatchObject(hiddenFields);
      expect(await edit(library.appId, id, { hiddenNote: null })).toMatchObject({ ...hiddenFields, hidden_note: null });
      const visibleFields = { hidden: false, hidden_by: null, hidden_at: null, hidden_note: null };
      expect(await edit(library.appId, id, { hidden: false, hiddenNote: 'x' })).toMatchObject(visibleFields);
      expect(await edit(library.appId, id, { hiddenNote: 'y' })).toMatchObject(visibleFields);
    });

    it('refuses a name that is in use in the folder', async () => {
      const { id } = await library.addFile('a.txt');
      const trashedFile = await library.addFile('c.txt');
      await library.trash(trashedFile);
      await library.addFile('b.txt');
      await library.addFile('d.txt', { folder: pathOf('p') });
      expect(await edit(library.appId, id, { name: 'b.txt', alt: 'x' })).toEqual(FILE_NAME_TAKEN);
      expect(await library.findFile(id)).toMatchObject({ filename: 'a.txt', alt: null });
      for (const name of ['a.txt', 'c.txt', 'd.txt']) {
        expect(await edit(library.appId, id, { name })).toMatchObject({ filename: name });
      }
    });

    it('refuses a file that is missing, in Trash, being received or of another app', async () => {
      const file = await library.addFile('a.txt');
      const otherLibrary = await AppLibrary.create(fixture);
      const { receipt } = await library.upload();
      expect(await edit(otherLibrary.appId, file.id, { alt: 'x' })).toEqual(FILE_NOT_FOUND);
      await library.trash(file);
      for (const id of [MISSING_ID, file.id, receipt.id]) {
        expect(await edit(library.appId, id, { alt: 'x' })).toEqual(FILE_NOT_FOUND);
      }
    });

    it('accepts only one of several concurrent edits to the same name', async () => {
      const storedFiles = await Promise.all(['a', 'b', 'c'].map((name) => library.addFile(name)));
      const results = await Promise.all(storedFiles.map(({ id }) => edit(library.appId, id, { name: 'd' })));
      expect(results.filter((result) => result.refused === FILE_NAME_TAKEN.refused)).toHaveLength(2);
    });
  });

  describe('hideUnused', () => {
    it('hides files that are unused for longer than the app’s setting', async () => {
      library = new AppLibrary(fixture, await fixture.makeApp({ autoHideUnusedDays: 10 }));
      const [oldFile, usedFile, unhiddenFile, trashedFile] = await Promise.all(
        ['a', 'b', 'c', 'd'].map((name) => library.addFile(name)),
      );
      await library.addUsage(usedFile!);
      await edit(library.appId, unhiddenFile!.id, { hidden: false });
      await library.trash(trashedFile!);
      fixture.clock.forward({ hours: HOURS_PER_DAY });
      const recentFile = await library.addFile('e');
      const replacedFile = await library.addFile('f');
      fixture.clock.forward({ hours: 9 * HOURS_PER_DAY });
      await fixture.ports.fileVersions.replace(library.appId, replacedFile.id, await library.upload(), TERMS);
      expect(await files().hideUnused()).toBeGreaterThanOrEqual(1);
      const now = fixture.clock.now().toISOString().slice(0, 19);
      expect(await library.findFile(oldFile!.id)).toMatchObject({ hidden: true, hidden_by: 'auto', hidden_at: now });
      for (const { id } of [usedFile!, unhiddenFile!, trashedFile!, recentFile, replacedFile]) {
        expect(await library.findFile(id)).toMatchObject({ hidden: false });
      }
    });

    it('keeps files of apps without the setting visible', async () => {
      const { id } = await library.addFile('a');
      fixture.clock.forward({ hours: 1_000 * HOURS_PER_DAY });
      await files().hideUnused();
      expect(await library.findFile(id)).toMatchObject({ hidden: false });
    });
  });
}
