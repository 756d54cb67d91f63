import type { Postgres } from './connection/postgres.js';

export async function assertDurable(database: Postgres): Promise<void> {
  const settings = await database.rows<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
  );
  const unsafeSettings = settings.filter(({ setting }) => setting === 'off');
  if (unsafeSettings.length > 0)
    throw new Error(`The database is not durable: ${unsafeSettings.map(({ name }) => `${name} is off`).join(', ')}`);
}
