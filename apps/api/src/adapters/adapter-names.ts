import type { Config } from '../config.js';

/** The adapters of an installation by side, as the environment names them. */
export function adapterNames(config: Config): Readonly<Record<string, string>> {
  const { databaseUrl, storage, images, pages, facts, purger, refunds } = config;
  return {
    database: databaseUrl === undefined ? 'embedded' : 'postgres',
    storage: storage.kind === 'module' ? storage.module : storage.kind,
    images,
    pages,
    facts,
    purger,
    refunds: refunds.kind === 'module' ? refunds.module : refunds.kind,
  };
}
