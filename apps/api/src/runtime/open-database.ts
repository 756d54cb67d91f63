import type { DatabaseOptions, OpenedDatabase } from '@back-office/database';
import { missingMethods, openModule, type AdapterKind } from '../adapters/index.js';
import type { Config } from '../config.js';
import { withVariableName } from './named-variable.js';

const DATABASE_ADAPTER: AdapterKind<OpenedDatabase> = {
  variable: 'DATABASE',
  exportName: 'openDatabase',
  problemWith: (answer) =>
    missingMethods('database', (answer as { database?: unknown } | undefined)?.database, ['jobQueue']) ??
    missingMethods('result', answer, ['close']),
};

export async function openDatabase(config: Config, options: DatabaseOptions): Promise<OpenedDatabase> {
  const {
    database: name,
    databaseUrl: url,
    dataDir,
    databasePoolSize: poolSize,
    allowsNewerDatabase: allowsNewer,
  } = config;
  if (name === 'memory') return (await import('@back-office/database-memory')).openDatabase(options);
  if (name !== 'postgres') return openModule(DATABASE_ADAPTER, name, options);
  const postgres = await import('@back-office/database-postgres');
  const open = () => postgres.openDatabase({ ...options, url, dataDir, poolSize, allowsNewer });
  return url === undefined ? open() : withVariableName('DATABASE_URL', open);
}
