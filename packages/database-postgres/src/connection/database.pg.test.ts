import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { makeTestDatabase, type TestDatabase } from '../../testing/test-database.js';
import { FIXED_PLAN } from './prepared-statements.js';
import { beginBulk, beginLockedBulk } from './bulk.js';
import { trackWrites } from './call-writes.js';
import type { Transaction } from './transaction.js';
import { assertOutsideTransaction, Postgres } from './postgres.js';
import { dataSourceFor, migrationSourceFor, openJobPool } from './data-source.js';
import { TIMEOUTS } from './timeouts.js';
import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { violates } from './failures.js';

let testDatabase: TestDatabase;
let database: Postgres;

beforeAll(async () => {
  testDatabase = await makeTestDatabase();
  database = await Postgres.open(dataSourceFor(testDatabase.connection, 4));
  await database.rows('create table item (id int primary key, n int not null constraint item_n_key unique)');
});
afterAll(async () => {
  await database.source.destroy();
  await testDatabase.drop();
});
beforeEach(() => database.rows('delete from item'));

const insertItem = (sql: Pick<Transaction, 'rows'>, id: number, n: number) =>
  sql.rows('insert into item (id, n) values ($1, $2)', [id, n]);
const countItems = async (): Promise<number> =>
  (await database.rows<{ count: number }>('select count(*) as count from item'))[0]?.count ?? -1;

describe('an idle connection', () => {
  const { setTimeout: originalSetTimeout } = globalThis;
  let single: Postgres;
  beforeEach(async () => {
    single = await Postgres.open(dataSourceFor(testDatabase.connection, 1));
  });
  afterEach(async () => {
    globalThis.setTimeout = originalSetTimeout;
    await single.source.destroy();
  });

  it('serves the next call after four minutes, and is closed after six', async () => {
    const timeAThousandTimesFaster = (work: () => void, ms: number) =>
      originalSetTimeout(work, ms < 10_000 ? ms : ms / 1_000);
    globalThis.setTimeout = timeAThousandTimesFaster as typeof setTimeout;
    const findPid = async () => (await single.rows<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
    const firstPid = await findPid();
    await pause(240);
    expect(await findPid()).toBe(firstPid);
    await pause(360);
    expect(await findPid()).not.toBe(firstPid);
  });
});

describe('a transaction', () => {
  it('commits all of its statements', async () => {
    await database.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      await insertItem(transaction, 2, 2);
    });
    expect(await countItems()).toBe(2);
  });

  it('writes nothing when its work throws', async () => {
    const result = database.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      throw new Error('no');
    });
    await expect(result).rejects.toThrow('no');
    expect(await countItems()).toBe(0);
  });

  it('writes nothing when its work ignores the error of a statement', async () => {
    const result = database.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      await insertItem(transaction, 1, 2).catch(() => {});
    });
    await expect(result).rejects.toThrow('failed before its COMMIT');
    expect(await countItems()).toBe(0);
  });

  it('repeats all of its work after a deadlock', async () => {
    await insertItem(database, 1, 1);
    await insertItem(database, 2, 2);
    let runs = 0;
    const lockedIds = new Set<number>();
    const increaseBoth = (firstId: number, secondId: number) =>
      database.transaction(async (transaction) => {
        runs += 1;
        await transaction.rows('update item set n = n + 10 where id = $1', [firstId]);
        lockedIds.add(firstId);
        while (lockedIds.size < 2) await new Promise((resolve) => setTimeout(resolve, 5));
        await transaction.rows('update item set n = n + 10 where id = $1', [secondId]);
      });
    await Promise.all([increaseBoth(1, 2), increaseBoth(2, 1)]);
    expect(runs).toBeGreaterThan(2);
    expect(await database.rows('select id, n from item order by id')).toEqual([
      { id: 1, n: 21 },
      { id: 2, n: 22 },
    ]);
  });

  it('prepares its statements again after a change of a table', async () => {
    const work = (transaction: Transaction) => transaction.rows('select * from changed_item');
    const workAlone = (sql: Pick<Transaction, 'runLast'>) =>
      sql.runLast('insert into changed_item values (1) returning *');
    await database.rows('create table changed_item (id int)');
    await database.write(workAlone);
    await Promise.all([1, 2, 3, 4].map(() => database.transaction(work)));
    await Promise.all([1, 2, 3, 4].map(() => database.rows('select * from changed_item')));

    await database.source.query('alter table changed_item add column n int');
    expect(await database.transaction(work)).toEqual([{ id: 1, n: null }]);
    await database.source.query('alter table changed_item add column m int');
    expect(await database.rows('select * from changed_item')).toEqual([{ id: 1, n: null, m: null }]);
    await database.source.query('alter table changed_item drop column m');
    expect(await database.write(workAlone)).toEqual([{ id: 1, n: null }]);
    await database.rows('drop table changed_item');
  });

  it('is rolled back and reports an unavailable database after its timeout', async () => {
    const databaseWithShortTimeout = new Postgres(database.source, 100);
    const runSlowly = (lastStep: (transaction: Transaction) => Promise<unknown>) =>
      databaseWithShortTimeout.transaction(async (transaction) => {
        await insertItem(transaction, 1, 1);
        await new Promise((resolve) => setTimeout(resolve, 150));
        await lastStep(transaction);
      });
    await expect(runSlowly((transaction) => insertItem(transaction, 2, 2))).rejects.toThrow(DatabaseUnavailable);
    await expect(runSlowly(() => Promise.resolve())).rejects.toThrow(DatabaseUnavailable);
    expect(await countItems()).toBe(0);
  });

  it('reports an unavailable database when the connection is lost before COMMIT', async () => {
    const result = database.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      await transaction.rows('select pg_terminate_backend(pg_backend_pid())');
    });
    await expect(result).rejects.toThrow(DatabaseUnavailable);
    expect(await countItems()).toBe(0);
  });

  it('reports an unavailable database when the connection is lost between two statements', async () => {
    const result = database.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      const [session] = await transaction.rows<{ pid: number }>('select pg_backend_pid() as pid');
      await database.source.query('select pg_terminate_backend($1::int)', [session?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await insertItem(transaction, 2, 2);
    });
    await expect(result).rejects.toThrow(DatabaseUnavailable);
    expect(await countItems()).toBe(0);
  });

  it('reports an unknown outcome, without a retry, when the connection is lost at COMMIT', async () => {
    let runs = 0;
    const result = database.transaction(async (transaction) => {
      runs += 1;
      const [session] = await transaction.rows<{ pid: number }>('select pg_backend_pid() as pid');
      await database.source.query('select pg_terminate_backend($1::int)', [session?.pid]);
    });
    await expect(result).rejects.toThrow(UnknownOutcome);
    expect(runs).toBe(1);
    expect(await countItems()).toBe(0);
  });

  it('commits together with the statement that is marked as its last, and refuses later statements', async () => {
    await database.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      const insertedRows = await transaction.runLast('insert into item (id, n) values (2, 2) returning id');
      expect(insertedRows).toEqual([{ id: 2 }]);
      expect(await countItems()).toBe(2);
      await expect(insertItem(transaction, 3, 3)).rejects.toThrow('after the last one');
    });
    await database.transaction((transaction) => transaction.runLast('insert into item (id, n) values (4, 4)'));
    expect(await countItems()).toBe(3);
  });

  it('writes nothing when its last statement fails, and releases the connection', async () => {
    const failing = database.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      await transaction.runLast('insert into item (id, n) values (2, 1)');
    });
    await expect(failing).rejects.toMatchObject({ constraint: 'item_n_key' });
    expect(await countItems()).toBe(0);
    expect(database.connections()).toMatchObject({ waiting: 0 });
    await Promise.all([1, 2, 3, 4].map((id) => database.transaction((transaction) => insertItem(transaction, id, id))));
    expect(await countItems()).toBe(4);
  });

  it('writes nothing when its work ignores an error before the last statement', async () => {
    const result = database.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      await insertItem(transaction, 1, 2).catch(() => {});
      await transaction.runLast('select 1');
    });
    await expect(result).rejects.toThrow('current transaction is aborted');
    expect(await countItems()).toBe(0);
  });

  it('reports an unknown outcome when the connection is lost silently during its last statement', async () => {
    const reportedLoss = database.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      await transaction.runLast('select pg_terminate_backend(pg_backend_pid())');
    });
    await expect(reportedLoss).rejects.toThrow(DatabaseUnavailable);
    const silentLoss = database.transaction(async (transaction) => {
      const [session] = await transaction.rows<{ pid: number }>('select pg_backend_pid() as pid');
      await database.source.query('select pg_terminate_backend($1::int)', [session?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await transaction.runLast('insert into item (id, n) values (2, 2)');
    });
    await expect(silentLoss).rejects.toThrow(UnknownOutcome);
    expect(await countItems()).toBe(0);
  });

  it('times out when it waits for a lock', async () => {
    await insertItem(database, 1, 1);
    const lockItem = (transaction: Transaction) => transaction.rows('select id from item where id = 1 for update');
    const waited = database.transaction(async (transaction) => {
      await lockItem(transaction);
      await expect(database.source.transaction((manager) => manager.query('update item set n = 5'))).rejects.toThrow(
        /lock timeout/,
      );
    });
    await waited;
  });

  it('reports a duplicate by the name of the constraint', async () => {
    await insertItem(database, 1, 1);
    const error: unknown = await insertItem(database, 2, 1).catch((reason: unknown) => reason);
    expect([violates(error, 'item_n_key'), violates(error, 'item_pkey')]).toEqual([true, false]);
  });
});

describe('an open transaction', () => {
  it('refuses locks that violate the lock order', async () => {
    const result = database.transaction((transaction) => {
      transaction.locks('stock');
      transaction.locks('proforma');
      return Promise.resolve();
    });
    await expect(result).rejects.toThrow('proforma is locked after stock');
  });

  it('refuses network calls and nested transactions', async () => {
    const gatewayCall = database.transaction(() => Promise.resolve(assertOutsideTransaction('The gateway')));
    await expect(gatewayCall).rejects.toThrow('The gateway was called inside a transaction');
    const nestedTransaction = database.transaction(() => database.transaction(() => Promise.resolve()));
    await expect(nestedTransaction).rejects.toThrow('inside a transaction');
    expect(() => assertOutsideTransaction('The gateway')).not.toThrow();
  });

  it('runs bulk writes of one kind in one app one after another', async () => {
    const events: string[] = [];
    const runBulkWrite = (name: string) =>
      database.transaction(async (transaction) => {
        await beginLockedBulk(transaction, 'products', 1, 1);
        await transaction.rows('select 1');
        events.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, 50));
        events.push(`${name} out`);
      });
    await Promise.all([runBulkWrite('a'), runBulkWrite('b')]);
    expect(events.map((event) => event.slice(2))).toEqual(['in', 'out', 'in', 'out']);
  });
});

describe('a dry run', () => {
  const runDry = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
    database.transaction(work, { dryRun: true });

  it('returns its result and writes nothing', async () => {
    const rows = await runDry(async (transaction) => {
      await insertItem(transaction, 1, 1);
      return transaction.rows('select id from item');
    });
    expect([rows, await countItems()]).toEqual([[{ id: 1 }], 0]);
  });

  it('does not commit its last statement', async () => {
    const rows = await runDry((transaction) =>
      transaction.runLast('insert into item (id, n) values (1, 1) returning n'),
    );
    expect([rows, await countItems()]).toEqual([[{ n: 1 }], 0]);
  });

  it('returns its result when it runs no statement', async () => {
    expect(await runDry(() => Promise.resolve(5))).toBe(5);
  });

  it('releases its locks', async () => {
    await insertItem(database, 1, 1);
    await runDry((transaction) => transaction.rows('update item set n = 2 where id = 1'));
    await database.transaction((transaction) => transaction.rows('select from item for update nowait'));
  });

  it('fails with the error of its work', async () => {
    await insertItem(database, 1, 1);
    const failure = await runDry((transaction) => insertItem(transaction, 1, 2)).catch((error: unknown) => error);
    expect(violates(failure, 'item_pkey')).toBe(true);
    expect(await runDry((transaction) => insertItem(transaction, 2, 2))).toEqual([]);
  });
});

describe('a call that loses its database connection', () => {
  const loseDatabaseAfter = (work: () => Promise<unknown>) =>
    trackWrites(
      async () => {
        await work();
        throw new DatabaseUnavailable('gone');
      },
      (error) => error instanceof DatabaseUnavailable,
    );

  it.each([
    ['a transaction', () => database.transaction((transaction) => insertItem(transaction, 1, 1))],
    ['a single write', () => database.write((sql) => sql.runLast('insert into item (id, n) values (1, 1)'))],
  ])('reports an unknown outcome after %s', async (_, work) => {
    await expect(loseDatabaseAfter(work)).rejects.toThrow(UnknownOutcome);
    expect(await countItems()).toBe(1);
  });

  it.each([
    ['a read', () => countItems()],
    ['a dry run', () => database.transaction((sql) => insertItem(sql, 1, 1), { dryRun: true })],
    ['a transaction that failed', () => database.transaction(() => Promise.reject(new Error('no'))).catch(() => {})],
  ])('reports an unavailable database after %s', async (_, work) => {
    await expect(loseDatabaseAfter(work)).rejects.toThrow(DatabaseUnavailable);
    expect(await countItems()).toBe(0);
  });
});

describe('a call without a free connection', () => {
  const holdAllConnections = async (): Promise<void> => {
    const { master } = database.source.driver as unknown as { readonly master: Pool };
    const clients = await Promise.all(Array.from({ length: 4 }, () => master.connect()));
    setTimeout(() => clients.forEach((client) => client.release()), TIMEOUTS.acquire + 500);
  };
  const runInCall = <Result>(work: () => Promise<Result>) =>
    trackWrites(work, (error) => error instanceof DatabaseUnavailable);
  const steps: [string, () => Promise<unknown>][] = [
    ['reads', () => countItems()],
    ['begins a transaction', () => database.transaction((sql) => sql.rows('select 1'))],
    ['writes', () => database.write((sql) => sql.runLast('update item set n = 2'))],
  ];

  it.each(steps)('waits longer for a connection when it %s after a write', async (_, step) => {
    const result = runInCall(async () => {
      await database.transaction((transaction) => insertItem(transaction, 1, 1));
      await holdAllConnections();
      return step();
    });
    await expect(result).resolves.toBeDefined();
    expect(await countItems()).toBe(1);
  });

  it.each(steps)('reports an unavailable database when it %s before any write', async (_, step) => {
    await holdAllConnections();
    await expect(runInCall(step)).rejects.toThrow(DatabaseUnavailable);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await countItems()).toBe(0);
  });
});

describe('the loss of another node of a cluster', () => {
  it.each(['08006', 'XX000'])('does not close the connection that reports it with %s', async (code) => {
    const small = await Postgres.open(dataSourceFor(testDatabase.connection, 1));
    const report = `do $$ begin raise 'connection to the remote node failed' using errcode = '${code}'; end $$`;
    const pid = async () => (await small.rows<{ pid: number }>('select pg_backend_pid() as pid'))[0]?.pid;
    const firstPid = await pid();
    await expect(small.rows(report)).rejects.toThrow(DatabaseUnavailable);
    await expect(small.write((sql) => sql.runLast(report))).rejects.toThrow(UnknownOutcome);
    const result = small.transaction(async (transaction) => {
      await insertItem(transaction, 1, 1);
      await transaction.rows(report);
    });
    await expect(result).rejects.toThrow(DatabaseUnavailable);
    expect(await pid()).toBe(firstPid);
    expect(await countItems()).toBe(0);
    await small.source.destroy();
  });
});

describe('a single write', () => {
  const SLOW_INSERT = 'insert into item (id, n) select 1, 1 from pg_sleep(0.3)';

  it('is committed when it returns', async () => {
    await database.write((sql) => sql.runLast(SLOW_INSERT));
    expect(await countItems()).toBe(1);
  });

  it('reports an unavailable database when the server says that it ends the connection', async () => {
    const result = database.write((sql) => sql.runLast('select pg_terminate_backend(pg_backend_pid())'));
    await expect(result).rejects.toThrow(DatabaseUnavailable);
  });

  it('reports an unknown outcome when the connection is cut', async () => {
    const result = database.write((sql) => sql.runLast(SLOW_INSERT));
    setTimeout(cutAllConnections, 100);
    await expect(result).rejects.toThrow(UnknownOutcome);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await countItems()).toBe(1);
  });

  it('reports an unknown outcome, without a retry, when the connection is cut during the last statement', async () => {
    let runs = 0;
    const result = database.transaction(async (transaction) => {
      runs += 1;
      await insertItem(transaction, 2, 2);
      await transaction.runLast(SLOW_INSERT);
    });
    setTimeout(cutAllConnections, 100);
    await expect(result).rejects.toThrow(UnknownOutcome);
    expect(runs).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    // Whether COMMIT ran depends on when the server notices the cut.
    expect([0, 2]).toContain(await countItems());
  });

  it('reports an unavailable database when the connection is cut during an earlier read', async () => {
    const result = database.write(async (sql) => {
      await sql.rows('select pg_sleep(0.3)');
      return sql.runLast(SLOW_INSERT);
    });
    setTimeout(cutAllConnections, 100);
    await expect(result).rejects.toThrow(DatabaseUnavailable);
    expect(await countItems()).toBe(0);
  });

  function cutAllConnections(): void {
    const { master } = database.source.driver as unknown as {
      readonly master: { readonly _clients: readonly { connection: { stream: { destroy(): void } } }[] };
    };
    for (const { connection } of master._clients) connection.stream.destroy();
  }
});

describe('a bulk write', () => {
  const findPreparedStatements = (transaction: Transaction): Promise<{ name: string }[]> =>
    transaction.rows('select name from pg_prepared_statements where statement like $1', ['%of a bulk write%']);

  it('is planned for its number of rows and leaves no cached plan, unless marked', async () => {
    const bulkStatements = await database.transaction(async (transaction) => {
      await beginBulk(transaction, 1);
      await transaction.rows('select 1 as one /* of a bulk write */');
      return findPreparedStatements(transaction);
    });
    expect(bulkStatements.filter(({ name }) => name !== '')).toEqual([]);
    const markedStatements = await database.transaction(async (transaction) => {
      await beginBulk(transaction, 1);
      await transaction.rows(`${FIXED_PLAN} select 2 as two /* of a bulk write */`);
      return findPreparedStatements(transaction);
    });
    expect(markedStatements.filter(({ name }) => name !== '')).toHaveLength(1);
    const otherStatements = await database.transaction(async (transaction) => {
      await transaction.rows('select 1 as one /* of a bulk write */');
      return findPreparedStatements(transaction);
    });
    expect(otherStatements.length).toBeGreaterThan(0);
  });

  it.each([
    [100, 'on'],
    [101, 'off'],
  ])('of %d rows runs with nested loops %s', async (rows, expected) => {
    const settings = await database.transaction(async (transaction) => {
      await beginBulk(transaction, rows);
      return transaction.rows(`select current_setting('enable_nestloop') as mode`);
    });
    expect(settings).toEqual([{ mode: expected }]);
    expect(await database.rows(`select current_setting('enable_nestloop') as mode`)).toEqual([{ mode: 'on' }]);
  });

  it.each([
    ['under the bulk lock', (transaction: Transaction) => beginLockedBulk(transaction, 'products', 1, 1)],
    ['without the bulk lock', (transaction: Transaction) => beginBulk(transaction, 1)],
  ])('uses longer timeouts %s', async (_, begin) => {
    const timeouts = await database.transaction(async (transaction) => {
      await begin(transaction);
      return transaction.rows(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
      );
    });
    expect(timeouts).toEqual([{ statement: '15s', lock: '4500ms' }]);
  });

  it.each([
    ['its last statement', false, (transaction: Transaction, text: string) => transaction.runLast(text)],
    ['a statement of a dry run', true, (transaction: Transaction, text: string) => transaction.rows(text)],
  ])('uses the bulk timeout for %s', async (_, dryRun, last) => {
    const { options } = dataSourceFor(testDatabase.connection, 1);
    const extra = { ...(options.extra as object), query_timeout: 2_000 };
    const source = await new DataSource({ ...options, extra } as DataSourceOptions).initialize();
    const databaseWithShortTimeout = new Postgres(source);
    const work = async (transaction: Transaction) => {
      await beginBulk(transaction, 1);
      await last(transaction, 'with late as (select pg_sleep(2.3)) insert into item (id, n) select 1, 1 from late');
    };
    await databaseWithShortTimeout.transaction(work, { dryRun });
    await source.destroy();
    expect(await countItems()).toBe(dryRun ? 0 : 1);
  });
});

describe('the timeouts of the database client', () => {
  it('end work on the server before the client gives up', async () => {
    const [session] = await database.rows<Record<'lock' | 'statement' | 'idle' | 'zone', string>>(
      `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
         current_setting('idle_in_transaction_session_timeout') as idle, current_setting('timezone') as zone`,
    );
    expect(session).toEqual({ lock: '2s', statement: '5s', idle: '10s', zone: 'UTC' });
    const { acquire, lock, statement, query, idleInTransaction, transaction, bulkStatement, bulkQuery } = TIMEOUTS;
    expect([acquire, lock, statement, query, idleInTransaction]).toEqual([2_000, 2_000, 5_000, 7_000, 10_000]);
    expect(transaction + query).toBeLessThan(20_000);
    expect(bulkStatement).toBeLessThan(bulkQuery);
  });

  it('limit the wait for a turn', async () => {
    const releases: (() => void)[] = [];
    const holders = Array.from({ length: 3 }, () =>
      database.transaction(() => new Promise<void>((resolve) => releases.push(resolve))),
    );
    await expect(database.rows('select 1')).rejects.toThrow(DatabaseUnavailable);
    for (const release of releases) release();
    await Promise.all(holders);
    expect(await countItems()).toBe(0);
  });
});

describe('the isolation of transactions', () => {
  it('is read committed, although the server has another default', async () => {
    const [{ name } = { name: '' }] = await database.rows<{ name: string }>('select current_database() as name');
    await database.rows(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    const source = await dataSourceFor(testDatabase.connection, 1).initialize();
    const isolation = await new Postgres(source).transaction((transaction) =>
      transaction.rows('show transaction_isolation'),
    );
    await source.destroy();
    expect(isolation).toEqual([{ transaction_isolation: 'read committed' }]);
  });
});

describe('options of the database URL', () => {
  it('are added to the options of the service and never replace them', async () => {
    const options = encodeURIComponent('-c search_path=public,pg_temp -c default_transaction_isolation=serializable');
    const url = `${testDatabase.url}${testDatabase.url.includes('?') ? '&' : '?'}options=${options}&application_name=shop`;
    const source = await dataSourceFor({ url }, 1).initialize();
    const pool = openJobPool({ url }, 1);
    const selectSettings = `select current_setting('search_path') as path, current_setting('timezone') as zone,
      current_setting('default_transaction_isolation') as isolation`;
    const [serviceSettings, jobSettings] = [
      await new Postgres(source).rows(selectSettings),
      (await pool.query(selectSettings)).rows,
    ];
    await Promise.all([source.destroy(), pool.end()]);
    const expected = [{ path: 'public,pg_temp', zone: 'UTC', isolation: 'read committed' }];
    expect([serviceSettings, jobSettings]).toEqual([expected, expected]);
  });

  it('do not limit how long a migration waits', async () => {
    const options = encodeURIComponent('-c lock_timeout=1s -c statement_timeout=2s');
    const url = `${testDatabase.url}${testDatabase.url.includes('?') ? '&' : '?'}options=${options}`;
    const source = await migrationSourceFor({ url }, []).initialize();
    const selectLimits = `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement`;
    const limits: unknown = await source.query(selectLimits);
    await source.destroy();
    expect(limits).toEqual([{ lock: '0', statement: '0' }]);
  });
});

describe('the schema', () => {
  it('stores times with a zone and amounts as integers', async () => {
    const rows = await database.rows<{ column: string }>(
      `select table_name || '.' || column_name as column from information_schema.columns
       where table_schema = 'public' and data_type in ('timestamp without time zone', 'numeric', 'real', 'double precision', 'money')
         and column_name not in ('latitude', 'longitude', 'accuracy')`,
    );
    expect(rows).toEqual([]);
  });
});
