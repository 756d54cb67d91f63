import { runnerOf } from '@back-office/kernel/testing';
import { mediaStoreContract } from '@back-office/media/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as runner from 'node:test';
import { FlatFolderStore } from './index.js';

mediaStoreContract(runnerOf(runner), async () => {
  const folder = await mkdtemp(join(tmpdir(), 'flat-'));
  const missingFolder = new FlatFolderStore(join(folder, 'missing'));
  return {
    store: new FlatFolderStore(folder),
    unreachable: missingFolder,
    close: () => rm(folder, { recursive: true, force: true }),
  };
});
