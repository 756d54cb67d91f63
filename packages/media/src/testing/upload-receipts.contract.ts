import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { JOBS, type TidyPayload } from '../index.js';
import { MediaFixture, type GivenMediaLibrary } from './media-library.js';

/** Tests for every adapter of {@link UploadReceipts}. */
export function uploadReceiptsContract(
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
  const receipts = () => given.ports.uploadReceipts;
  const tidied = async () => ((await library.payloads(JOBS.tidy)) as TidyPayload[]).flatMap(({ blobs }) => blobs);
  const unreferenced = (...blobs: readonly string[]) =>
    given.ports.mediaObjectQueries.unreferenced(library.appId, blobs);

  describe('a receipt', () => {
    it('has unique store keys', async () => {
      const all = [await receipts().begin(library.app, true), await receipts().begin(library.app, false)];
      const blob = expect.stringMatching(new RegExp(`^_blobs/${library.app.prefix}/[a-z0-9-]+$`));
      expect(all).toMatchObject([
        { appId: library.appId, content: blob, original: blob },
        { content: blob, original: null },
      ]);
      const names = all.flatMap(({ content, original }) => [content, original]);
      expect(new Set(names).size).toBe(4);
      expect(await unreferenced('_blobs/x', ...names.filter((name) => name !== null))).toEqual(['_blobs/x']);
    });

    it('is not a file', async () => {
      const { id } = await receipts().begin(library.app, false);
      expect(await given.ports.mediaFileQueries.find(library.appId, id)).toBeUndefined();
      expect(await library.names()).toEqual([]);
    });

    it('queues the removal of its bytes once when ended', async () => {
      const receipt = await receipts().begin(library.app, true);
      for (let count = 0; count < 2; count += 1) await receipts().end(receipt);
      const blobs = await tidied();
      expect([blobs.length, new Set(blobs)]).toEqual([2, new Set([receipt.content, receipt.original])]);
      expect(await unreferenced(receipt.content)).toEqual([receipt.content]);
    });

    it('of another app or a file does not end', async () => {
      const { appId } = await MediaFixture.of(given);
      const { id, content } = await receipts().begin(library.app, false);
      await receipts().end({ appId, id });
      const file = await library.file('a');
      await receipts().end({ appId: library.appId, id: file.id });
      expect([await tidied(), await unreferenced(content), await library.names()]).toEqual([[], [], ['a']]);
    });
  });

  describe('sweep', () => {
    it('ends receipts of dead uploads', async () => {
      const dead = await receipts().begin(library.app, true);
      await library.file('a');
      given.clock.forward({ hours: 1 });
      const recent = await receipts().begin(library.app, false);
      await receipts().sweep();
      expect(await unreferenced(dead.content)).toEqual([]);
      given.clock.forward({ hours: 0.5 });
      expect(await receipts().sweep()).toBe(false);
      expect(new Set(await tidied())).toEqual(new Set([dead.content, dead.original]));
      expect(await unreferenced(dead.content, recent.content)).toEqual([dead.content]);
      expect(await library.names()).toEqual(['a']);
    });
  });
}
