import { DiskMediaStore, StoreNotWritable } from '@back-office/storage-disk';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const SLOW_MS = 2_000;

/**
 * Fault runs set `STORAGE` to this module, which opens a disk store that fails on command. It is no TypeScript, because
 * the built service loads it.
 *
 * @type {import('../../apps/api/src/media/index.js').StorageModule['openMediaStore']}
 */
export const openMediaStore = async ({ DATA_DIR: dataDir = '' }) => ({
  store: new FaultyStore(await DiskMediaStore.open(join(dataDir, 'media')), join(dataDir, 'store-fault')),
});

/** @implements {import('@back-office/media').MediaStore} */
class FaultyStore {
  /**
   * @param {DiskMediaStore} store
   * @param {string} faultFile
   */
  constructor(store, faultFile) {
    this.store = store;
    this.faultFile = faultFile;
  }

  /** @type {import('@back-office/media').MediaStore['put']} */
  async put(key, bytes, mime) {
    const fault = await this.applyFault();
    if (fault === 'full') throw new StoreNotWritable('The media folder is full');
    return this.store.put(key, fault === 'breaks off' ? breakOff(bytes) : bytes, mime);
  }

  /** @type {import('@back-office/media').MediaStore['read']} */
  async read(key, range) {
    await this.applyFault();
    return this.store.read(key, range);
  }

  /** @type {import('@back-office/media').MediaStore['copy']} */
  async copy(from, to) {
    await this.applyFault();
    return this.store.copy(from, to);
  }

  /** @type {import('@back-office/media').MediaStore['remove']} */
  async remove(key) {
    await this.applyFault();
    return this.store.remove(key);
  }

  /** @type {import('@back-office/media').MediaStore['list']} */
  list(prefix) {
    return this.store.list(prefix);
  }

  async ping() {
    await this.applyFault();
    return this.store.ping();
  }

  async applyFault() {
    const fault = await readFile(this.faultFile, 'utf8').catch(() => 'none');
    if (fault === 'fails') throw new Error('The store is broken (on purpose)');
    if (fault === 'slow') await pause(SLOW_MS);
    return fault;
  }
}

/** @param {AsyncIterable<Uint8Array>} bytes */
async function* breakOff(bytes) {
  for await (const chunk of bytes) {
    yield chunk.subarray(0, chunk.length / 2);
    throw new Error('The store broke off (on purpose)');
  }
}
