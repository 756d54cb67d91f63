import { DiskMediaStore } from '@back-office/storage-disk';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfig, type Config } from '../config.js';
import type { StorageModule } from '../media/index.js';

/** Configures a store that serves its files under their public keys. */
export const PUBLISHED_STORE = { STORAGE: fileURLToPath(import.meta.url) };

export const openMediaStore: StorageModule['openMediaStore'] = async (environment: Config['environment']) => {
  const { dataDir, publicUrl } = readConfig(environment);
  return { store: await DiskMediaStore.open(join(dataDir, 'published')), base: `${publicUrl}/media` };
};
