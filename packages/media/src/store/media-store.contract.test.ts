import { runnerOf } from '@back-office/kernel/testing';
import { InMemoryMediaStore, mediaStoreContract } from '../testing/index.js';

describe('the media store in memory', () => {
  mediaStoreContract(runnerOf(globalThis), async () => ({
    store: new InMemoryMediaStore(),
    close: async () => {},
    isMemory: true,
  }));
});
