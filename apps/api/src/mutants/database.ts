import { migrate } from '@back-office/database-postgres';
import pg from 'pg';

/** A migrated template on a server, from which suites copy databases of their own. */
export async function openTemplate(
  url: string,
): Promise<{ readonly env: Record<string, string>; close(): Promise<void> }> {
  const prefix = `back_office_mutants_${process.pid}`;
  const template = `${prefix}_template`;
  const own = new URL(url);
  own.pathname = `/${template}`;
  await administer(url, (client) => client.query(`create database ${template}`));
  await migrate({ url: own.href });
  return {
    env: { TEST_DATABASE: JSON.stringify({ connection: { url }, template, prefix }) },
    // Mutants that were ended have left theirs.
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
