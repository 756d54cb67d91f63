import type { MediaStore } from '@back-office/media';
import { InvalidConfig, type Config } from '../config.js';

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

/** The store of a module; throws {@link InvalidConfig} when what the module answers is not all of one. */
export async function openStorageModule(name: string, environment: Config['environment']): Promise<OpenedStore> {
  const loaded = await load(name);
  const opened = (await loaded.openMediaStore(environment)) as Partial<OpenedStore> | null | undefined;
  const wrong = wrongWith(opened ?? {});
  if (wrong !== undefined) throw refused(name, `openMediaStore answers ${wrong}`);
  return opened as OpenedStore;
}

async function load(name: string): Promise<StorageModule> {
  const loaded: unknown = await import(name).catch((error: unknown) => {
    throw refused(name, `cannot be loaded: ${(error as Error).message}`);
  });
  if (typeof (loaded as Partial<StorageModule>).openMediaStore === 'function') return loaded as StorageModule;
  throw refused(name, 'exports no openMediaStore');
}

function wrongWith({ store, base, close }: Partial<OpenedStore>): string | undefined {
  if (typeof store !== 'object' || store === null) return 'no store';
  const missing = METHODS.filter((method) => typeof store[method] !== 'function');
  if (missing.length > 0) return `a store without ${missing.join(', ')}`;
  if (base !== undefined && !(typeof base === 'string' && /^https?:\/\//.test(base))) return 'a base that is no URL';
  return close === undefined || typeof close === 'function' ? undefined : 'a close that is no function';
}

function refused(name: string, why: string): InvalidConfig {
  return new InvalidConfig(`Bad configuration: STORAGE: ${name} ${why}`);
}
