import type { Database, DatabaseOptions } from '@back-office/database';
import { openDatabase } from '@back-office/database-memory';
import { dataSourceFor, portsOf, Postgres } from '@back-office/database-postgres';
import { SentStatements, makeTestDatabase } from '@back-office/database-postgres/testing';

/** The database of a service under test, with direct access for the tests. */
export interface DatabaseUnderTest {
  readonly database: Database;
  readonly url: string;
  /** The tests' own connections. */
  readonly inspection: Postgres;
  /** The service's connections. */
  readonly postgres: Postgres;
  /** All statements of the service so far, except those that TypeORM adds. */
  readonly statements: string[];
  /** Throws when a statement of the service was not limited to one app. */
  close(): Promise<void>;
}

type Options = Pick<DatabaseOptions, 'clock' | 'publicBase' | 'isPublished'>;

const CONNECTIONS_OF_TESTS = 4;

/** A PostgreSQL database, or with `DATABASE_UNDER_TEST=memory` one in memory. */
export function databaseUnderTest(options: Options, poolSize: number): Promise<DatabaseUnderTest> {
  return process.env['DATABASE_UNDER_TEST'] === 'memory' ? inMemory(options) : onPostgres(options, poolSize);
}

async function onPostgres(options: Options, poolSize: number): Promise<DatabaseUnderTest> {
  const own = await makeTestDatabase();
  // Writes of a test need not survive a crash of the server.
  const connection = { url: `${own.url}${own.url.includes('?') ? '&' : '?'}options=-c%20synchronous_commit%3Doff` };
  const sent = new SentStatements();
  const source = dataSourceFor(connection, poolSize);
  await source.setOptions({ logger: sent.logger }).initialize();
  const statements: string[] = [];
  const postgres = new Postgres(source, (text) => {
    statements.push(text);
    sent.record(text);
  });
  const inspection = new Postgres(await dataSourceFor(connection, CONNECTIONS_OF_TESTS).initialize());
  return {
    database: portsOf(postgres, connection, options),
    url: own.url,
    inspection,
    postgres,
    statements,
    close: async () => {
      const check = sent.assertOneApp(inspection);
      await check.catch(() => {});
      await Promise.all([source.destroy(), inspection.source.destroy()]);
      await own.drop();
      await check;
    },
  };
}

async function inMemory(options: Options): Promise<DatabaseUnderTest> {
  const { database, close } = await openDatabase(options);
  return {
    database,
    close,
    get url() {
      return missing();
    },
    get inspection() {
      return missing();
    },
    get postgres() {
      return missing();
    },
    get statements() {
      return missing();
    },
  };
}

function missing(): never {
  throw new Error('This test asks PostgreSQL itself: it does not run on a database in memory');
}
