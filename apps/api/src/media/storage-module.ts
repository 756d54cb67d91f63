import type { MediaStore } from '@back-office/media';
import type { Config } from '../config.js';
import { lacking, openModule, type Side } from '../adapters/index.js';

/** What a module named by `STORAGE` exports: it reads its own configuration from the environment. */
export interface StorageModule {
  openMediaStore(environment: Config['environment']): Promise<OpenedStore>;
}

export interface OpenedStore {
  readonly store: MediaStore;
  /** What public addresses begin with, when the store serves its files itself. */
  readonly base?: string;
  /** Called, and waited for, when the process ends. */
  readonly close?: () => void | Promise<void>;
}

const METHODS = ['put', 'read', 'copy', 'remove', 'list', 'ping'] as const satisfies readonly (keyof MediaStore)[];

const STORAGE: Side<OpenedStore> = {
  variable: 'STORAGE',
  open: 'openMediaStore',
  wrongWith(answer) {
    const { store, base } = (answer ?? {}) as Partial<OpenedStore>;
    const missing = lacking('store', store, METHODS);
    if (missing !== undefined) return missing;
    return base === undefined || /^https?:\/\//.test(base) ? undefined : 'a base that is no URL';
  },
};

/** The store of a module; throws `InvalidConfig` when what the module answers is not all of one. */
export function openStorageModule(name: string, environment: Config['environment']): Promise<OpenedStore> {
  return openModule(STORAGE, name, environment);
}
