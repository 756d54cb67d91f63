import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { FILE_NAME_TAKEN, FILE_NOT_FOUND, JOBS } from '../index.js';
import { HOURS_PER_DAY, MediaFixture, MISSING_ID, pathOf, TERMS, type GivenMediaLibrary } from './media-library.js';

/** Tests for every adapter of {@link MediaFiles}. Each test has its own app. */
export function mediaFilesContract(
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
  const files = () => given.ports.mediaFiles;
  const edit = async (...values: Parameters<ReturnType<typeof files>['edit']>) => {
    const edited = await files().edit(...values);
    return typeof edited === 'string' ? JSON.parse(edited) : edited;
  };

  describe('store', () => {
    it('returns the file as it is read afterwards', async () => {
      const words = { alt: 'Alt', caption: 'Caption', description: 'Words', tags: ['b', 'a'], source: 'camera' };
      const { id, key, data } = await library.file('Ципела.TXT', { folder: pathOf('p/Q r'), ...words });
      expect(key).toBe(`${library.app.prefix}/p/q-r/cipela.txt`);
      const moment = given.clock.now().toISOString().slice(0, 19);
      const shown = JSON.parse(data);
      expect(shown).toEqual({
        id,
        filename: 'Ципела.TXT',
        key,
        url: library.url(key),
        folder: 'p/Q r',
        size: 5,
        mime: 'text/plain',
        width: null,
        height: null,
        ...words,
        version: 1,
        renditions: [],
        usage_count: 0,
        hidden: false,
        hidden_by: null,
        hidden_at: null,
        hidden_note: null,
        processing: 'done',
        last_modified: moment,
        inserted_at: moment,
      });
      expect(await library.shown(id)).toEqual(shown);
      expect(await library.folders()).toEqual(['p', 'p/Q r']);
    });

    it('dates the file by the end of its upload', async () => {
      const received = await library.received();
      given.clock.forward({ hours: 1 });
      const { id } = await library.file('a.txt', {}, received);
      const moment = given.clock.now().toISOString().slice(0, 19);
      expect(await library.shown(id)).toMatchObject({ last_modified: moment, inserted_at: moment });
    });

    it('presents its fields in the same order everywhere', async () => {
      const { id, data } = await library.file('a.txt');
      expect(Object.keys(JSON.parse(data))).toEqual(Object.keys(await library.shown(id)));
      expect(Object.keys(JSON.parse(data)).slice(0, 8)).toEqual(
        ['id', 'filename', 'key', 'url', 'folder', 'size', 'mime', 'width'], // as the interface lists them
      );
    });

    it('queues files to process only', async () => {
      await library.file('a.txt');
      const { id, data } = await library.image('a.jpg');
      expect(JSON.parse(data)).toMatchObject({ processing: 'pending', width: 800, height: 600 });
      expect(await library.payloads(JOBS.process)).toEqual([{ appId: library.appId, fileId: id, version: 1 }]);
    });

    it('queues every file when the store serves files', async () => {
      given.setPublished(true);
      const { id, data } = await library.file('a.txt');
      given.setPublished(false);
      expect(JSON.parse(data).processing).toBe('pending');
      expect(await library.payloads(JOBS.process)).toEqual([{ appId: library.appId, fileId: id, version: 1 }]);
    });

    it('refuses or changes a name taken in its folder', async () => {
      await library.file('a.txt');
      expect(await library.store({ name: 'a.txt' })).toEqual(FILE_NAME_TAKEN);
      for (let count = 0; count < 2; count += 1) await library.file('a.txt', { onConflict: 'rename' });
      await library.file('A.txt');
      await library.file('a.txt', { folder: pathOf('p') });
      expect(await library.names()).toEqual(['A.txt', 'a (2).txt', 'a (3).txt', 'a.txt']);
    });

    it('keeps the receipt of a refused upload', async () => {
      await library.file('a.txt');
      const taken = await library.received();
      const other = { name: 'b.txt', folder: pathOf(''), onConflict: 'error', presetId: MISSING_ID } as const;
      const words = { alt: null, caption: null, description: null, tags: [], source: null };
      const refused = await files().store(library.app, taken, { ...other, ...words });
      expect(refused).toEqual({ refused: 'is invalid', field: 'preset_id' });
      expect(await files().store(library.app, taken, { ...other, ...words, presetId: undefined })).toMatchObject({
        id: taken.receipt.id,
      });
    });

    it('gives each file a unique key, also beside Trash', async () => {
      const first = await library.file('a b.txt');
      await library.trash(first);
      const keys = [await library.file('a b.txt'), await library.file('A-b.txt')].map(({ key }) => key);
      expect(keys).toEqual([`${library.app.prefix}/a-b-2.txt`, `${library.app.prefix}/a-b-3.txt`]);
    });

    it('throws without its receipt, and leaves nothing', async () => {
      const taken = await library.received({ mime: 'image/jpeg', kind: 'image' });
      await given.ports.uploadReceipts.end(taken.receipt);
      const file = { name: 'a.jpg', folder: pathOf('p'), onConflict: 'error', presetId: undefined } as const;
      const words = { alt: null, caption: null, description: null, tags: [], source: null };
      await expect(files().store(library.app, taken, { ...file, ...words })).rejects.toThrow('receipt');
      expect([await library.folders(), await library.payloads(JOBS.process)]).toEqual([[], []]);
    });

    it('gives concurrent files unique names and keys', async () => {
      const all = Array.from({ length: 8 }, () =>
        library.file('a.txt', { onConflict: 'rename', folder: pathOf('p/q') }),
      );
      const keys = (await Promise.all(all)).map(({ key }) => key);
      expect(new Set(keys).size).toBe(8);
      expect(new Set(await library.names('p/q')).size).toBe(8);
      expect(await library.folders()).toEqual(['p', 'p/q']);
    });

    it('succeeds for one of many concurrent files of the same name', async () => {
      const all = await Promise.all(Array.from({ length: 6 }, () => library.store({ name: 'a.txt' })));
      expect(all.filter((stored) => 'refused' in stored)).toEqual(Array(5).fill(FILE_NAME_TAKEN));
    });
  });

  describe('edit', () => {
    it('changes the given fields and returns the file without URL', async () => {
      const { id, key, data } = await library.file('a.txt', { alt: 'x', caption: 'y', tags: ['t'] });
      const { url: _url, ...shown } = JSON.parse(data);
      const changed = { filename: 'b.txt', alt: null, tags: ['u', 'v'] };
      const edited = await edit(library.appId, id, { name: 'b.txt', alt: null, tags: ['u', 'v'] });
      expect(edited).toEqual({ ...shown, ...changed, key });
      expect(await library.shown(id)).toMatchObject(changed);
    });

    it('hides and unhides', async () => {
      const { id } = await library.file('a.txt');
      const moment = given.clock.now().toISOString().slice(0, 19);
      const hidden = { hidden: true, hidden_by: 'app', hidden_at: moment, hidden_note: 'old' };
      expect(await edit(library.appId, id, { hidden: true, hiddenNote: 'old' })).toMatchObject(hidden);
      given.clock.forward({ hours: 1 });
      expect(await edit(library.appId, id, { hidden: true })).toMatchObject(hidden);
      expect(await edit(library.appId, id, { hiddenNote: null })).toMatchObject({ ...hidden, hidden_note: null });
      const shown = { hidden: false, hidden_by: null, hidden_at: null, hidden_note: null };
      expect(await edit(library.appId, id, { hidden: false, hiddenNote: 'x' })).toMatchObject(shown);
      expect(await edit(library.appId, id, { hiddenNote: 'y' })).toMatchObject(shown);
    });

    it('refuses a name taken in its folder', async () => {
      const { id } = await library.file('a.txt');
      const trashed = await library.file('c.txt');
      await library.trash(trashed);
      await library.file('b.txt');
      await library.file('d.txt', { folder: pathOf('p') });
      expect(await edit(library.appId, id, { name: 'b.txt', alt: 'x' })).toEqual(FILE_NAME_TAKEN);
      expect(await library.shown(id)).toMatchObject({ filename: 'a.txt', alt: null });
      for (const name of ['a.txt', 'c.txt', 'd.txt']) {
        expect(await edit(library.appId, id, { name })).toMatchObject({ filename: name });
      }
    });

    it('does not find files missing, trashed, of another app or being received', async () => {
      const file = await library.file('a.txt');
      const other = await MediaFixture.of(given);
      const { receipt } = await library.received();
      expect(await edit(other.appId, file.id, { alt: 'x' })).toEqual(FILE_NOT_FOUND);
      await library.trash(file);
      for (const id of [MISSING_ID, file.id, receipt.id]) {
        expect(await edit(library.appId, id, { alt: 'x' })).toEqual(FILE_NOT_FOUND);
      }
    });

    it('succeeds for one of several concurrent edits to the same name', async () => {
      const made = await Promise.all(['a', 'b', 'c'].map((name) => library.file(name)));
      const edited = await Promise.all(made.map(({ id }) => edit(library.appId, id, { name: 'd' })));
      expect(edited.filter((each) => each.refused === FILE_NAME_TAKEN.refused)).toHaveLength(2);
    });
  });

  describe('hideUnused', () => {
    it('hides files unused beyond the app’s setting', async () => {
      library = new MediaFixture(given, await given.makeApp({ autoHideUnusedDays: 10 }));
      const [old, used, kept, trashed] = await Promise.all(['a', 'b', 'c', 'd'].map((name) => library.file(name)));
      await library.use(used!);
      await edit(library.appId, kept!.id, { hidden: false });
      await library.trash(trashed!);
      given.clock.forward({ hours: HOURS_PER_DAY });
      const recent = await library.file('e');
      const replaced = await library.file('f');
      given.clock.forward({ hours: 9 * HOURS_PER_DAY });
      await given.ports.fileVersions.replace(library.appId, replaced.id, await library.received(), TERMS);
      expect(await files().hideUnused()).toBeGreaterThanOrEqual(1);
      const moment = given.clock.now().toISOString().slice(0, 19);
      expect(await library.shown(old!.id)).toMatchObject({ hidden: true, hidden_by: 'auto', hidden_at: moment });
      for (const { id } of [used!, kept!, trashed!, recent, replaced]) {
        expect(await library.shown(id)).toMatchObject({ hidden: false });
      }
    });

    it('leaves files of apps without the setting', async () => {
      const { id } = await library.file('a');
      given.clock.forward({ hours: 1_000 * HOURS_PER_DAY });
      await files().hideUnused();
      expect(await library.shown(id)).toMatchObject({ hidden: false });
    });
  });
}
