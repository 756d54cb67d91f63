import type { MediaStore } from '@back-office/media';
import type { Config } from '../config.js';
import { missingMethods, openModule, type AdapterKind } from '../adapters/index.js';

/** Exports of a module named by `STORAGE`; it reads its configuration from the environment. */
export interface StorageModule {
  openMediaStore(environment: Config['environment']): Promise<OpenedStore>;
}

export interface OpenedStore {
  readonly store: MediaStore;
  /** Start of public URLs, when the store serves its files itself. */
  readonly base?: string;
  /** Awaited when the process ends. */
  readonly close?: () => void | Promise<void>;
}

const METHODS = ['put', 'read', 'copy', 'remove', 'list', 'ping'] as const satisfies readonly (keyof MediaStore)[];

const STORAGE: AdapterKind<OpenedStore> = {
  variable: 'STORAGE',
  open: 'openMediaStore',
  problemWith(answer) {
    const { store, base } = (answer ?? {}) as Partial<OpenedStore>;
    const missing = missingMethods('store', store, METHODS);
    if (missing !== undefined) return missing;
    return base === undefined || (typeof base === 'string' && /^https?:\/\//.test(base))
      ? undefined
      : 'a base that is not a URL';
  },
};

/** Opens the store of a module; throws `InvalidConfig` when it is incomplete. */
export function openStorageModule(name: string, environment: Config['environment']): Promise<OpenedStore> {
  return openModule(STORAGE, name, environment);
}
