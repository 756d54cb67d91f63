import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DatabaseOpener } from '@back-office/database';
import { dataSourceFor, migrate, portsOf, Postgres } from '@back-office/database-postgres';
import { withClockedRetries } from './clocked-jobs.js';

const POOL_SIZE = 10;

/** Opens a new PostgreSQL database on this server; `close` drops it. */
export function openFreshPostgres(server: string): DatabaseOpener {
  return async (options) => {
    const name = `differential_${randomBytes(6).toString('hex')}`;
    await administer(server, `create database ${name}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    await migrate({ url: url.href });
    const opening = await openPostgres(url.href)(options);
    const close = (): Promise<void> =>
      opening.close().then(() => administer(server, `drop database ${name} with (force)`));
    return { database: opening.database, close };
  };
}

/** Opens an existing database without synchronous commits, because a test needs no durability. */
export function openPostgres(url: string): DatabaseOpener {
  return async (options) => {
    // `URL` cannot parse the address of a Unix socket, so the option is appended as text.
    const connection = { url: `${url}${url.includes('?') ? '&' : '?'}options=-c%20synchronous_commit%3Doff` };
    const source = dataSourceFor(connection, POOL_SIZE);
    const ports = portsOf(await Postgres.open(source), connection, options);
    const query = (statement: string, values: readonly unknown[]) => source.query(statement, [...values]);
    const jobQueue = (size: number) => withClockedRetries(ports.jobQueue(size), query, options.clock);
    const database = { ...ports, jobQueue };
    return { database, close: () => source.destroy() };
  };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
