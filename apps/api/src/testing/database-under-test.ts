import type { Database, DatabaseOptions } from '@back-office/database';
import { openDatabase } from '@back-office/database-memory';
import { dataSourceFor, portsOf, Postgres } from '@back-office/database-postgres';
import { SentStatements, makeTestDatabase, observeStatements } from '@back-office/database-postgres/testing';

/** The database of a service under test, and direct access to it for tests. */
export interface DatabaseUnderTest {
  readonly database: Database;
  readonly url: string;
  /** Connections of the tests. */
  readonly inspection: Postgres;
  /** Connections of the service. */
  readonly postgres: Postgres;
  /** All statements of the service so far, except those that TypeORM adds by itself and the ends of transactions. */
  readonly statements: string[];
  /** Closes the connections. Throws when the service has run a statement that breaks a rule of `SentStatements`. */
  close(): Promise<void>;
}

type Options = Pick<DatabaseOptions, 'clock' | 'publicBase' | 'isPublished'>;

const INSPECTION_POOL_SIZE = 4;
const TRANSACTION_ENDS = new Set(['COMMIT', 'ROLLBACK']);

/** Opens a PostgreSQL database, or with `DATABASE_UNDER_TEST=memory` a database in memory. */
export function databaseUnderTest(options: Options, poolSize: number): Promise<DatabaseUnderTest> {
  return process.env['DATABASE_UNDER_TEST'] === 'memory' ? openInMemory(options) : openOnPostgres(options, poolSize);
}

async function openOnPostgres(options: Options, poolSize: number): Promise<DatabaseUnderTest> {
  const testServer = await makeTestDatabase();
  // A test needs no durability, so commits do not wait for the disk.
  const connection = {
    url: `${testServer.url}${testServer.url.includes('?') ? '&' : '?'}options=-c%20synchronous_commit%3Doff`,
  };
  const sentStatements = new SentStatements();
  const source = dataSourceFor(connection, poolSize);
  source.setOptions({ logger: sentStatements.logger });
  const statements: string[] = [];
  const postgres = await Postgres.open(source);
  observeStatements(source, (text) => {
    if (TRANSACTION_ENDS.has(text)) return;
    statements.push(text);
    sentStatements.record(text);
  });
  const inspection = new Postgres(await dataSourceFor(connection, INSPECTION_POOL_SIZE).initialize());
  return {
    database: portsOf(postgres, connection, options),
    url: testServer.url,
    inspection,
    postgres,
    statements,
    close: async () => {
      const check = sentStatements.assertRules(inspection);
      await check.catch(() => {});
      await Promise.all([source.destroy(), inspection.source.destroy()]);
      await testServer.drop();
      await check;
    },
  };
}

async function openInMemory(options: Options): Promise<DatabaseUnderTest> {
  const { database, close } = await openDatabase(options);
  return {
    database,
    close,
    get url() {
      return throwNoPostgres();
    },
    get inspection() {
      return throwNoPostgres();
    },
    get postgres() {
      return throwNoPostgres();
    },
    get statements() {
      return throwNoPostgres();
    },
  };
}

function throwNoPostgres(): never {
  throw new Error('This test queries PostgreSQL and does not run on a database in memory');
}
