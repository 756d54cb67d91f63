import type { Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { beginBulk, beginLockedBulk } from './bulk.js';
import { trackWrites } from './call-writes.js';
import type { Transaction } from './client-transaction.js';
import { assertOutsideTransaction, Postgres } from './postgres.js';
import { dataSourceFor, openJobPool, TIMEOUTS } from './data-source.js';
import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { violates } from './failures.js';

let own: TestDatabase;
let database: Postgres;

beforeAll(async () => {
  own = await testDatabase();
  database = new Postgres(await dataSourceFor(own.connection, 4).initialize());
  await database.rows('create table item (id int primary key, n int not null constraint item_n_key unique)');
});
afterAll(async () => {
  await database.source.destroy();
  await own.drop();
});
beforeEach(() => database.rows('delete from item'));

const insert = (sql: Pick<Transaction, 'rows'>, id: number, n: number) =>
  sql.rows('insert into item (id, n) values ($1, $2)', [id, n]);
const count = async (): Promise<number> =>
  (await database.rows<{ count: number }>('select count(*) as count from item'))[0]?.count ?? -1;

describe('a transaction', () => {
  it('commits all of its statements', async () => {
    await database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await insert(transaction, 2, 2);
    });
    expect(await count()).toBe(2);
  });

  it('writes nothing when its work throws', async () => {
    const broken = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await count()).toBe(0);
  });

  it('writes nothing after a swallowed error', async () => {
    const swallowed = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await insert(transaction, 1, 2).catch(() => {});
    });
    await expect(swallowed).rejects.toThrow('failed before its COMMIT');
    expect(await count()).toBe(0);
  });

  it('repeats all of its work after a deadlock', async () => {
    await insert(database, 1, 1);
    await insert(database, 2, 2);
    let runs = 0;
    const bump = (first: number, second: number) =>
      database.transaction(async (transaction) => {
        runs += 1;
        await transaction.rows('update item set n = n + 10 where id = $1', [first]);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await transaction.rows('update item set n = n + 10 where id = $1', [second]);
      });
    await Promise.all([bump(1, 2), bump(2, 1)]);
    expect(runs).toBeGreaterThan(2);
    expect(await database.rows('select id, n from item order by id')).toEqual([
      { id: 1, n: 21 },
      { id: 2, n: 22 },
    ]);
  });

  it('is rolled back and reported as unavailable after its timeout', async () => {
    const limited = new Postgres(database.source, undefined, 100);
    const slow = (last: (transaction: Transaction) => Promise<unknown>) =>
      limited.transaction(async (transaction) => {
        await insert(transaction, 1, 1);
        await new Promise((resolve) => setTimeout(resolve, 150));
        await last(transaction);
      });
    await expect(slow((transaction) => insert(transaction, 2, 2))).rejects.toThrow(DatabaseUnavailable);
    await expect(slow(() => Promise.resolve())).rejects.toThrow(DatabaseUnavailable);
    expect(await count()).toBe(0);
  });

  it('is unavailable when the connection is lost before COMMIT', async () => {
    const lost = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await transaction.rows('select pg_terminate_backend(pg_backend_pid())');
    });
    await expect(lost).rejects.toThrow(DatabaseUnavailable);
    expect(await count()).toBe(0);
  });

  it('is unavailable when the connection is lost between two statements', async () => {
    const lost = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      const [self] = await transaction.rows<{ pid: number }>('select pg_backend_pid() as pid');
      await database.source.query('select pg_terminate_backend($1)', [self?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await insert(transaction, 2, 2);
    });
    await expect(lost).rejects.toThrow(DatabaseUnavailable);
    expect(await count()).toBe(0);
  });

  it('is unknown, and not repeated, when the connection is lost at COMMIT', async () => {
    let runs = 0;
    const lost = database.transaction(async (transaction) => {
      runs += 1;
      const [self] = await transaction.rows<{ pid: number }>('select pg_backend_pid() as pid');
      await database.source.query('select pg_terminate_backend($1)', [self?.pid]);
    });
    await expect(lost).rejects.toThrow(UnknownOutcome);
    expect(runs).toBe(1);
    expect(await count()).toBe(0);
  });

  it('commits with its last statement and refuses later ones', async () => {
    await database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      const made = await transaction.last('insert into item (id, n) values (2, 2) returning id');
      expect(made).toEqual([{ id: 2 }]);
      expect(await count()).toBe(2);
      await expect(insert(transaction, 3, 3)).rejects.toThrow('after the last one');
    });
    await database.transaction((transaction) => transaction.last('insert into item (id, n) values (4, 4)'));
    expect(await count()).toBe(3);
  });

  it('writes nothing when its last statement fails, and releases the connection', async () => {
    const broken = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await transaction.last('insert into item (id, n) values (2, 1)');
    });
    await expect(broken).rejects.toMatchObject({ constraint: 'item_n_key' });
    expect(await count()).toBe(0);
    expect(database.connections()).toMatchObject({ waiting: 0 });
    await Promise.all([1, 2, 3, 4].map((id) => database.transaction((transaction) => insert(transaction, id, id))));
    expect(await count()).toBe(4);
  });

  it('writes nothing after a swallowed error before the last statement', async () => {
    const swallowed = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await insert(transaction, 1, 2).catch(() => {});
      await transaction.last('select 1');
    });
    await expect(swallowed).rejects.toThrow('current transaction is aborted');
    expect(await count()).toBe(0);
  });

  it('is unknown when the connection is lost with the last statement, unless the server reports it', async () => {
    const terminated = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await transaction.last('select pg_terminate_backend(pg_backend_pid())');
    });
    await expect(terminated).rejects.toThrow(DatabaseUnavailable);
    const cut = database.transaction(async (transaction) => {
      const [self] = await transaction.rows<{ pid: number }>('select pg_backend_pid() as pid');
      await database.source.query('select pg_terminate_backend($1)', [self?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await transaction.last('insert into item (id, n) values (2, 2)');
    });
    await expect(cut).rejects.toThrow(UnknownOutcome);
    expect(await count()).toBe(0);
  });

  it('times out on a lock', async () => {
    await insert(database, 1, 1);
    const lock = (transaction: Transaction) => transaction.rows('select id from item where id = 1 for update');
    const waited = database.transaction(async (transaction) => {
      await lock(transaction);
      await expect(database.source.transaction((manager) => manager.query('update item set n = 5'))).rejects.toThrow(
        /lock timeout/,
      );
    });
    await waited;
  });

  it('reports a duplicate by the constraint’s name', async () => {
    await insert(database, 1, 1);
    const error: unknown = await insert(database, 2, 1).catch((each: unknown) => each);
    expect([violates(error, 'item_n_key'), violates(error, 'item_pkey')]).toEqual([true, false]);
  });
});

describe('inside a transaction', () => {
  it('locks against the order are refused', async () => {
    const backwards = database.transaction((transaction) => {
      transaction.locks('stock');
      transaction.locks('proforma');
      return Promise.resolve();
    });
    await expect(backwards).rejects.toThrow('proforma is locked after stock');
  });

  it('network calls and second transactions are refused', async () => {
    const calling = database.transaction(() => Promise.resolve(assertOutsideTransaction('The gateway')));
    await expect(calling).rejects.toThrow('The gateway was called inside a transaction');
    const nested = database.transaction(() => database.transaction(() => Promise.resolve()));
    await expect(nested).rejects.toThrow('inside a transaction');
    expect(() => assertOutsideTransaction('The gateway')).not.toThrow();
  });

  it('bulk writes of one kind and app run one at a time', async () => {
    const order: string[] = [];
    const bulk = (name: string) =>
      database.transaction(async (transaction) => {
        await beginLockedBulk(transaction, 'products', 1, 1);
        order.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, 50));
        order.push(`${name} out`);
      });
    await Promise.all([bulk('a'), bulk('b')]);
    expect(order.map((each) => each.slice(2))).toEqual(['in', 'out', 'in', 'out']);
  });
});

describe('a dry run', () => {
  const dryRun = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
    database.transaction(work, { dryRun: true });

  it('returns its result and writes nothing', async () => {
    const seen = await dryRun(async (transaction) => {
      await insert(transaction, 1, 1);
      return transaction.rows('select id from item');
    });
    expect([seen, await count()]).toEqual([[{ id: 1 }], 0]);
  });

  it('writes nothing of its last statement', async () => {
    const last = await dryRun((transaction) => transaction.last('insert into item (id, n) values (1, 1) returning n'));
    expect([last, await count()]).toEqual([[{ n: 1 }], 0]);
  });

  it('without a statement is nothing', async () => {
    expect(await dryRun(() => Promise.resolve(5))).toBe(5);
  });

  it('releases its locks', async () => {
    await insert(database, 1, 1);
    await dryRun((transaction) => transaction.rows('update item set n = 2 where id = 1'));
    await database.transaction((transaction) => transaction.rows('select from item for update nowait'));
  });

  it('fails as the work itself would', async () => {
    await insert(database, 1, 1);
    const failed = await dryRun((transaction) => insert(transaction, 1, 2)).catch((error: unknown) => error);
    expect(violates(failed, 'item_pkey')).toBe(true);
    expect(await dryRun((transaction) => insert(transaction, 2, 2))).toEqual([]);
  });
});

describe('a call that loses the database', () => {
  const lostAfter = (work: () => Promise<unknown>) =>
    trackWrites(
      async () => {
        await work();
        throw new DatabaseUnavailable('gone');
      },
      (error) => error instanceof DatabaseUnavailable,
    );

  it.each([
    ['a transaction', () => database.transaction((transaction) => insert(transaction, 1, 1))],
    ['a single write', () => database.write((sql) => sql.last('insert into item (id, n) values (1, 1)'))],
  ])('has an unknown outcome after %s', async (_, work) => {
    await expect(lostAfter(work)).rejects.toThrow(UnknownOutcome);
    expect(await count()).toBe(1);
  });

  it.each([
    ['a read', () => count()],
    ['a dry run', () => database.transaction((sql) => insert(sql, 1, 1), { dryRun: true })],
    ['a transaction that failed', () => database.transaction(() => Promise.reject(new Error('no'))).catch(() => {})],
  ])('is unavailable after %s', async (_, work) => {
    await expect(lostAfter(work)).rejects.toThrow(DatabaseUnavailable);
    expect(await count()).toBe(0);
  });
});

describe('a call without a free connection', () => {
  /** Takes all connections for longer than the timeout. */
  const takeAll = async (): Promise<void> => {
    const { master } = database.source.driver as unknown as { readonly master: Pool };
    const taken = await Promise.all(Array.from({ length: 4 }, () => master.connect()));
    setTimeout(() => taken.forEach((client) => client.release()), TIMEOUTS.acquire + 500);
  };
  const inCall = <Result>(work: () => Promise<Result>) =>
    trackWrites(work, (error) => error instanceof DatabaseUnavailable);
  const steps: [string, () => Promise<unknown>][] = [
    ['reads', () => count()],
    ['begins a transaction', () => database.transaction((sql) => sql.rows('select 1'))],
    ['writes', () => database.write((sql) => sql.last('update item set n = 2'))],
  ];

  it.each(steps)('waits longer after its write when it %s', async (_, step) => {
    const called = inCall(async () => {
      await database.transaction((transaction) => insert(transaction, 1, 1));
      await takeAll();
      return step();
    });
    await expect(called).resolves.toBeDefined();
    expect(await count()).toBe(1);
  });

  it.each(steps)('is unavailable before its write when it %s', async (_, step) => {
    await takeAll();
    await expect(inCall(step)).rejects.toThrow(DatabaseUnavailable);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await count()).toBe(0);
  });
});

describe('a single write', () => {
  const SLOW = 'insert into item (id, n) select 1, 1 from pg_sleep(0.3)';

  it('is committed when it returns', async () => {
    await database.write((sql) => sql.last(SLOW));
    expect(await count()).toBe(1);
  });

  it('is unavailable when the server reports the termination', async () => {
    const terminated = database.write((sql) => sql.last('select pg_terminate_backend(pg_backend_pid())'));
    await expect(terminated).rejects.toThrow(DatabaseUnavailable);
  });

  it('is unknown when the connection is cut', async () => {
    const lost = database.write((sql) => sql.last(SLOW));
    setTimeout(cutAll, 100);
    await expect(lost).rejects.toThrow(UnknownOutcome);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await count()).toBe(1);
  });

  it('is unavailable when an earlier read is cut', async () => {
    const lost = database.write(async (sql) => {
      await sql.rows('select pg_sleep(0.3)');
      return sql.last(SLOW);
    });
    setTimeout(cutAll, 100);
    await expect(lost).rejects.toThrow(DatabaseUnavailable);
    expect(await count()).toBe(0);
  });

  /** Cuts connections as a broken network does. */
  function cutAll(): void {
    const { master } = database.source.driver as unknown as {
      readonly master: { readonly _clients: readonly { connection: { stream: { destroy(): void } } }[] };
    };
    for (const { connection } of master._clients) connection.stream.destroy();
  }
});

describe('a bulk write', () => {
  const planned = (transaction: Transaction): Promise<{ name: string }[]> =>
    transaction.rows('select name from pg_prepared_statements where statement like $1', ['%of a bulk write%']);

  it('is planned for its rows, without a cached plan', async () => {
    const names = await database.transaction(async (transaction) => {
      await beginBulk(transaction, 1);
      await transaction.rows('select 1 as one /* of a bulk write */');
      return planned(transaction);
    });
    expect(names.filter(({ name }) => name !== '')).toEqual([]);
    const kept = await database.transaction(async (transaction) => {
      await transaction.rows('select 1 as one /* of a bulk write */');
      return planned(transaction);
    });
    expect(kept.length).toBeGreaterThan(0);
  });

  it.each([
    [100, 'on'],
    [101, 'off'],
  ])('of %d rows has nested loops %s', async (rows, expected) => {
    const found = await database.transaction(async (transaction) => {
      await beginBulk(transaction, rows);
      return transaction.rows(`select current_setting('enable_nestloop') as mode`);
    });
    expect(found).toEqual([{ mode: expected }]);
    expect(await database.rows(`select current_setting('enable_nestloop') as mode`)).toEqual([{ mode: 'on' }]);
  });

  it.each([
    ['under the bulk lock', (transaction: Transaction) => beginLockedBulk(transaction, 'products', 1, 1)],
    ['without the bulk lock', (transaction: Transaction) => beginBulk(transaction, 1)],
  ])('%s has longer timeouts', async (_, begin) => {
    const limits = await database.transaction(async (transaction) => {
      await begin(transaction);
      return transaction.rows(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
      );
    });
    expect(limits).toEqual([{ statement: '15s', lock: '4500ms' }]);
  });

  it('has the bulk timeout for its last statement', async () => {
    const { options } = dataSourceFor(own.connection, 1);
    const extra = { ...(options.extra as object), query_timeout: 700 };
    const source = await new DataSource({ ...options, extra } as DataSourceOptions).initialize();
    const limited = new Postgres(source);
    const made = await limited.transaction(async (transaction) => {
      await beginBulk(transaction, 1);
      return transaction.last<{ id: number }>(
        'with late as (select pg_sleep(1)) insert into item (id, n) select 1, 1 from late returning id',
      );
    });
    await source.destroy();
    expect([made, await count()]).toEqual([[{ id: 1 }], 1]);
  });
});

describe('the timeout ladder', () => {
  it('ends on the server before the client', async () => {
    const [session] = await database.rows<Record<'lock' | 'statement' | 'idle' | 'zone', string>>(
      `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
         current_setting('idle_in_transaction_session_timeout') as idle, current_setting('timezone') as zone`,
    );
    expect(session).toEqual({ lock: '2s', statement: '5s', idle: '10s', zone: 'UTC' });
    const { acquire, lock, statement, query, idleInTransaction, transaction, bulkStatement, bulkQuery } = TIMEOUTS;
    expect([acquire, lock, statement, query, idleInTransaction]).toEqual([2_000, 2_000, 5_000, 7_000, 10_000]);
    // A statement begun at the last moment still ends before a handler's 20 s.
    expect(transaction + query).toBeLessThan(20_000);
    expect(bulkStatement).toBeLessThan(bulkQuery);
  });

  it('limits the wait for a connection', async () => {
    const release: (() => void)[] = [];
    const holders = Array.from({ length: 4 }, () =>
      database.transaction(() => new Promise<void>((resolve) => release.push(resolve))),
    );
    await expect(database.rows('select 1')).rejects.toThrow(DatabaseUnavailable);
    for (const each of release) each();
    await Promise.all(holders);
    expect(await count()).toBe(0);
  });
});

describe('the isolation of transactions', () => {
  it('is read committed whatever the server’s default', async () => {
    const [{ name } = { name: '' }] = await database.rows<{ name: string }>('select current_database() as name');
    await database.rows(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    const source = await dataSourceFor(own.connection, 1).initialize();
    const isolation = await new Postgres(source).transaction((each) => each.rows('show transaction_isolation'));
    await source.destroy();
    expect(isolation).toEqual([{ transaction_isolation: 'read committed' }]);
  });
});

describe('options of the database URL', () => {
  it('are added to the service’s and never replace them', async () => {
    const options = encodeURIComponent('-c search_path=public,pg_temp -c default_transaction_isolation=serializable');
    const url = `${own.url}${own.url.includes('?') ? '&' : '?'}options=${options}&application_name=shop`;
    const source = await dataSourceFor({ url }, 1).initialize();
    const pool = openJobPool({ url }, 1);
    const shown = `select current_setting('search_path') as path, current_setting('timezone') as zone,
      current_setting('default_transaction_isolation') as isolation`;
    const [ofService, ofJobs] = [await new Postgres(source).rows(shown), (await pool.query(shown)).rows];
    await Promise.all([source.destroy(), pool.end()]);
    const expected = [{ path: 'public,pg_temp', zone: 'UTC', isolation: 'read committed' }];
    expect([ofService, ofJobs]).toEqual([expected, expected]);
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
