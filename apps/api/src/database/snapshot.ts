import { jobPool, MIGRATIONS, type Connection } from './data-source.js';

/** Reads as of the moment at which the snapshot was taken. */
export type Read = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

const CONNECT_MS = 5_000;

// Whole tables are read one after the other and hashed: for the first rows of a result the planner would join row by
// row, by index, and never end. One core is enough, beside a running service.
const READS_WHOLE_TABLES = `
  select set_config('enable_nestloop', 'off', true), set_config('enable_indexscan', 'off', true),
    set_config('work_mem', '64MB', true), set_config('max_parallel_workers_per_gather', '0', true)`;

/** Lets the server cancel the query when this process dies. */
const NOTICE_THE_END = 'set client_connection_check_interval = 1000';

/** Throws unless the database has all that is read of it. */
async function assertUpToDate(read: Read): Promise<void> {
  const [made] = await read<{ has: boolean }>(`select to_regclass('migrations') is not null as has`);
  const ran = made?.has ? await read<{ name: string }>('select name from migrations') : [];
  const names = new Set(ran.map(({ name }) => name));
  const isBehind = MIGRATIONS.some((Migration) => !names.has(new Migration().name as string));
  if (isBehind) throw new Error('The database is not up to date: start the service, or run migrate first');
}

/** Reads everything as of one moment, writes nothing, and takes as long as it needs. */
export async function inSnapshot<Result>(
  connection: Connection,
  work: (read: Read) => Promise<Result>,
): Promise<Result> {
  const pool = jobPool(connection, 1, CONNECT_MS);
  const client = await pool.connect();
  try {
    // Some servers' systems cannot look.
    await client.query(NOTICE_THE_END).catch(() => {});
    await client.query('begin isolation level repeatable read read only');
    await client.query(READS_WHOLE_TABLES);
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
