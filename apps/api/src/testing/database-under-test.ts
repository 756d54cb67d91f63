import type { Database, DatabaseOptions } from '@back-office/database';
import { openDatabase } from '@back-office/database-memory';
import { portsOf, Postgres } from '@back-office/database-postgres';
import { borrowDatabase, SentStatements } from '@back-office/database-postgres/testing';

/** The database of a service under test, with direct access for the tests. */
export interface DatabaseUnderTest {
  readonly database: Database;
  readonly url: string;
  /** Connections of the tests. */
  readonly inspection: Postgres;
  /** Connections of the service. */
  readonly postgres: Postgres;
  /** All statements of the service until now, except those that TypeORM adds. */
  readonly statements: string[];
  /** Throws when a statement of the service was not limited to one app. */
  close(): Promise<void>;
}

type Options = Pick<DatabaseOptions, 'clock' | 'publicBase' | 'isPublished'>;

/** Opens a PostgreSQL database, or with `DATABASE_UNDER_TEST=memory` a database in memory. */
export function databaseUnderTest(options: Options, poolSize: number): Promise<DatabaseUnderTest> {
  return process.env['DATABASE_UNDER_TEST'] === 'memory' ? openInMemory(options) : openOnPostgres(options, poolSize);
}

async function openOnPostgres(options: Options, poolSize: number): Promise<DatabaseUnderTest> {
  const shared = await borrowDatabase(poolSize);
  const { connection, url, source, inspection } = shared;
  const sentStatements = new SentStatements();
  source.setOptions({ logger: sentStatements.logger });
  const statements: string[] = [];
  const postgres = new Postgres(source, (text) => {
    statements.push(text);
    sentStatements.record(text);
  });
  return {
    database: portsOf(postgres, connection, options),
    url,
    inspection,
    postgres,
    statements,
    close: async () => {
      const check = sentStatements.assertOneApp(inspection);
      await check.then(
        () => shared.release(),
        () => shared.drop(),
      );
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
