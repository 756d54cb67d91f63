import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { JOBS, type TidyPayload } from '../index.js';
import { AppLibrary, type MediaLibraryFixture } from './media-library.js';

export function uploadReceiptsContract(
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
  const receipts = () => fixture.ports.uploadReceipts;
  const runTidyJobs = async () =>
    ((await library.runJobPayloads(JOBS.tidy)) as TidyPayload[]).flatMap(({ blobs }) => blobs);
  const unreferenced = (...blobs: readonly string[]) =>
    fixture.ports.mediaObjectQueries.unreferencedBlobs(library.appId, blobs);

  describe('an upload receipt', () => {
    it('has keys in the store that no other receipt has', async () => {
      const newReceipts = [await receipts().begin(library.app, true), await receipts().begin(library.app, false)];
      const blob = expect.stringMatching(new RegExp(`^_blobs/${library.app.prefix}/[a-z0-9-]+$`));
      expect(newReceipts).toMatchObject([
        { appId: library.appId, content: blob, original: blob },
        { content: blob, original: null },
      ]);
      const names = newReceipts.flatMap(({ content, original }) => [content, original]);
      expect(new Set(names).size).toBe(4);
      expect(await unreferenced('_blobs/x', ...names.filter((name) => name !== null))).toEqual(['_blobs/x']);
    });

    it('is not found as a file', async () => {
      const { id } = await receipts().begin(library.app, false);
      expect(await fixture.ports.mediaFileQueries.find(library.appId, id)).toBeUndefined();
      expect(await library.fileNames()).toEqual([]);
    });

    it('queues the removal of its bytes once when ended', async () => {
      const receipt = await receipts().begin(library.app, true);
      for (let count = 0; count < 2; count += 1) await receipts().end(receipt);
      const blobs = await runTidyJobs();
      expect([blobs.length, new Set(blobs)]).toEqual([2, new Set([receipt.content, receipt.original])]);
      expect(await unreferenced(receipt.content)).toEqual([receipt.content]);
    });

    it('can be ended only in its app, and only before it becomes a file', async () => {
      const { appId } = await AppLibrary.create(fixture);
      const { id, content } = await receipts().begin(library.app, false);
      await receipts().end({ appId, id });
      const file = await library.addFile('a');
      await receipts().end({ appId: library.appId, id: file.id });
      expect([await runTidyJobs(), await unreferenced(content), await library.fileNames()]).toEqual([[], [], ['a']]);
    });
  });

  describe('the sweep of upload receipts', () => {
    it('ends the receipts of uploads that will not be finished', async () => {
      const deadReceipt = await receipts().begin(library.app, true);
      await library.addFile('a');
      fixture.clock.forward({ hours: 1 });
      const recentReceipt = await receipts().begin(library.app, false);
      await receipts().sweep();
      expect(await unreferenced(deadReceipt.content)).toEqual([]);
      fixture.clock.forward({ hours: 0.5 });
      expect(await receipts().sweep()).toBe(false);
      expect(new Set(await runTidyJobs())).toEqual(new Set([deadReceipt.content, deadReceipt.original]));
      expect(await unreferenced(deadReceipt.content, recentReceipt.content)).toEqual([deadReceipt.content]);
      expect(await library.fileNames()).toEqual(['a']);
    });
  });
}
