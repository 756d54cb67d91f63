import { migrate } from '@back-office/database-postgres';
import pg from 'pg';

/** Creates a migrated template database on the server; each suite copies it. */
export async function openTemplate(
  url: string,
): Promise<{ readonly env: Record<string, string>; close(): Promise<void> }> {
  const prefix = `back_office_mutants_${process.pid}`;
  const template = `${prefix}_template`;
  const templateUrl = new URL(url);
  templateUrl.pathname = `/${template}`;
  await administer(url, (client) => client.query(`create database ${template}`));
  await migrate({ url: templateUrl.href });
  return {
    env: { TEST_DATABASE: JSON.stringify({ connection: { url }, template, prefix }) },
    // Also drops databases of suites that were killed.
    close: () =>
      administer(url, async (client) => {
        const { rows } = await client.query<{ datname: string }>(
          'select datname from pg_database where datname like $1',
          [`${prefix.replaceAll('_', String.raw`\_`)}%`],
        );
        for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
      }),
  };
}

async function administer(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
