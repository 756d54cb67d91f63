import type { ByteRange, MediaStore } from '@back-office/media';
import { DiskMediaStore, StoreNotWritable } from '@back-office/storage-disk';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfig } from '../config.js';
import type { StorageModule } from '../media/index.js';

export type StoreFault = 'none' | 'fails' | 'slow' | 'full' | 'breaks off';

const SLOW_MS = 2_000;
const faultFileOf = (dataDir: string): string => join(dataDir, 'store-fault');

/** Makes the stores of all processes on this data folder fail in this mode. */
export async function setStoreFault(dataDir: string, fault: StoreFault): Promise<void> {
  await writeFile(faultFileOf(dataDir), fault);
}

/** Fault runs set `STORAGE` to this module, which opens a disk store that fails on command. */
export const openMediaStore: StorageModule['openMediaStore'] = async (environment) => {
  const { dataDir } = readConfig(environment);
  return { store: new FaultyStore(await DiskMediaStore.open(join(dataDir, 'media')), dataDir) };
};

class FaultyStore implements MediaStore {
  constructor(
    private readonly store: MediaStore,
    private readonly dataDir: string,
  ) {}

  async put(key: string, bytes: AsyncIterable<Uint8Array>, mime: string): Promise<number> {
    const fault = await this.applyFault();
    if (fault === 'full') throw new StoreNotWritable('The media folder is full');
    return this.store.put(key, fault === 'breaks off' ? breakOff(bytes) : bytes, mime);
  }

  async read(key: string, range?: ByteRange) {
    await this.applyFault();
    return this.store.read(key, range);
  }

  async copy(from: string, to: string): Promise<boolean> {
    await this.applyFault();
    return this.store.copy(from, to);
  }

  async remove(key: string): Promise<void> {
    await this.applyFault();
    return this.store.remove(key);
  }

  list(prefix: string) {
    return this.store.list(prefix);
  }

  async ping(): Promise<void> {
    await this.applyFault();
    return this.store.ping();
  }

  private async applyFault(): Promise<StoreFault> {
    const fault = (await readFile(faultFileOf(this.dataDir), 'utf8').catch(() => 'none')) as StoreFault;
    if (fault === 'fails') throw new Error('The store is broken (on purpose)');
    if (fault === 'slow') await pause(SLOW_MS);
    return fault;
  }
}

async function* breakOff(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    yield chunk.subarray(0, chunk.length / 2);
    throw new Error('The store broke off (on purpose)');
  }
}
