import type { Postgres } from './postgres.js';

/** Throws when the server's settings risk committed data. */
export async function assertDurable(database: Postgres): Promise<void> {
  const settings = await database.rows<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')`,
  );
  const unsafe = settings.filter(({ setting }) => setting === 'off');
  if (unsafe.length > 0)
    throw new Error(`The database is not durable: ${unsafe.map(({ name }) => `${name} is off`).join(', ')}`);
}
