import type { Config } from '../config.js';

/** Returns the adapter names for the first log line. */
export function adapterNames(config: Config): Readonly<Record<string, string>> {
  const { database, databaseUrl, storage, images, pages, facts, purger, refunds } = config;
  return {
    database: database === 'postgres' && databaseUrl === undefined ? 'embedded' : database,
    storage: storage.kind === 'module' ? storage.module : storage.kind,
    images,
    pages,
    facts,
    purger,
    refunds: refunds.kind === 'module' ? refunds.module : refunds.kind,
  };
}
