import { openJobPool, type ConnectionTarget } from '../connection/data-source.js';
import { MIGRATIONS } from '../migrations/index.js';

export type Read = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

const CONNECT_TIMEOUT_MS = 5_000;

// Hash joins are faster than nested loops here, because checks read whole tables. Parallel workers would take cores
// from the service.
const PLAN_FOR_WHOLE_TABLES = `
  select set_config('enable_nestloop', 'off', true), set_config('enable_indexscan', 'off', true),
    set_config('work_mem', '64MB', true), set_config('max_parallel_workers_per_gather', '0', true)`;

const CANCEL_WHEN_DISCONNECTED = 'set client_connection_check_interval = 1000';

async function assertUpToDate(read: Read): Promise<void> {
  const [table] = await read<{ isMigrated: boolean }>(`select to_regclass('migrations') is not null as "isMigrated"`);
  const appliedMigrations = table?.isMigrated ? await read<{ name: string }>('select name from migrations') : [];
  const names = new Set(appliedMigrations.map(({ name }) => name));
  const isBehind = MIGRATIONS.some((Migration) => !names.has(new Migration().name as string));
  if (isBehind) throw new Error('The database is not up to date: start the service, or run migrate first');
}

export async function inSnapshot<Result>(
  connection: ConnectionTarget,
  work: (read: Read) => Promise<Result>,
): Promise<Result> {
  const pool = openJobPool(connection, 1, CONNECT_TIMEOUT_MS);
  const client = await pool.connect();
  try {
    await client.query(CANCEL_WHEN_DISCONNECTED).catch(() => {});
    await client.query('begin isolation level repeatable read read only');
    await client.query(PLAN_FOR_WHOLE_TABLES);
    const read: Read = async <Row>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query(text, [...values]);
      return rows as Row[];
    };
    await assertUpToDate(read);
    return await work(read);
  } finally {
    client.release(true);
    await pool.end();
  }
}
