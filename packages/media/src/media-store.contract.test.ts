import { InMemoryMediaStore, mediaStoreContract } from '../testing/index.js';

describe('the media store in memory', () => {
  mediaStoreContract(async () => ({ store: new InMemoryMediaStore(), close: async () => {} }));
});
