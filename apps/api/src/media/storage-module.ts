import type { MediaStore } from '@back-office/media';
import type { Config } from '../config.js';
import { missingMethods, openModule, type AdapterKind } from '../adapters/index.js';

/** Exports of the module that `STORAGE` names. The function reads its configuration from `environment`. */
export interface StorageModule {
  openMediaStore(environment: Config['environment']): Promise<OpenedStore>;
}

export interface OpenedStore {
  readonly store: MediaStore;
  /** URL prefix of public files; absent when the service itself serves them. */
  readonly base?: string;
  /** Called and awaited when the process ends. */
  readonly close?: () => void | Promise<void>;
}

const STORE_METHODS = [
  'put',
  'read',
  'copy',
  'remove',
  'list',
  'ping',
] as const satisfies readonly (keyof MediaStore)[];

const STORAGE_ADAPTER: AdapterKind<OpenedStore> = {
  variable: 'STORAGE',
  exportName: 'openMediaStore',
  problemWith(adapter) {
    const { store, base } = (adapter ?? {}) as Partial<OpenedStore>;
    const problem = missingMethods('store', store, STORE_METHODS);
    if (problem !== undefined) return problem;
    return base === undefined || (typeof base === 'string' && /^https?:\/\//.test(base))
      ? undefined
      : 'a base that is not a URL';
  },
};

export function openStorageModule(name: string, environment: Config['environment']): Promise<OpenedStore> {
  return openModule(STORAGE_ADAPTER, name, environment);
}
