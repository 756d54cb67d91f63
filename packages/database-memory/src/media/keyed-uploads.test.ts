import { isRefusal } from '@back-office/kernel';
import { TOP_LEVEL, type NewFile } from '@back-office/media';
import { MemoryApps } from '../apps/memory-apps.js';
import { MemoryKeyedCalls } from '../keyed-calls/memory-keyed-calls.js';
import { State } from '../state.js';
import { mediaPortsOf } from './media-ports.js';

const FILE: NewFile = {
  name: 'a.txt',
  folder: TOP_LEVEL,
  onConflict: 'error',
  presetId: undefined,
  alt: null,
  caption: null,
  description: null,
  tags: [],
  source: null,
};

describe('a repeated keyed upload', () => {
  it('stores nothing and returns the current file', async () => {
    const [state, clock] = [new State(), { now: () => new Date('2026-11-21T10:00:00Z') }];
    const id = await new MemoryApps(state, clock).create({ name: 'Test', currency: 'RSD' });
    const { mediaFiles, uploadReceipts } = mediaPortsOf(state, clock, {
      base: 'https://files.test',
      isPublished: false,
    });
    const calls = new MemoryKeyedCalls(state, clock);
    const upload = async () => {
      const run = await calls.begin({ appId: id, tokenId: 1, key: 'k', fingerprint: new Uint8Array(32) });
      if (typeof run === 'string' || !('keyedWrite' in run)) throw new Error('The call does not run');
      const storedFile = await run.keyedWrite.run(async () => {
        const receipt = await uploadReceipts.begin({ id, prefix: 'p' }, false);
        const facts = {
          mime: 'text/plain',
          kind: 'doc',
          size: undefined,
          bytes: 5,
          checksum: new Uint8Array(32),
        } as const;
        return mediaFiles.store({ id, prefix: 'p' }, { ...facts, receipt }, FILE);
      });
      await calls.release(run);
      if (isRefusal(storedFile)) throw new Error(storedFile.refused);
      return storedFile;
    };
    const firstUpload = await upload();
    await mediaFiles.edit(id, firstUpload.id, { alt: 'new' });
    const secondUpload = await upload();
    expect([secondUpload.id, JSON.parse(secondUpload.data).alt]).toEqual([firstUpload.id, 'new']);
    expect(state.files.all(id).filter((file) => file.state === 'active')).toHaveLength(1);
  });
});
