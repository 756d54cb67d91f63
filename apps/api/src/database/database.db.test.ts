import type { Pool } from 'pg';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { testDatabase, type TestDatabase } from '../testing/test-database.js';
import { PATIENCE } from '../http/server.js';
import { beginBulk, waitForBulkTurn } from './bulk.js';
import { tellingWrites } from './call-writes.js';
import { assertOutsideTransaction, Database, type Transaction } from './database.js';
import { dataSourceFor, jobPool, TIMEOUTS } from './data-source.js';
import { DatabaseUnavailable, UnknownOutcome, violates } from './failures.js';

let own: TestDatabase;
let database: Database;

beforeAll(async () => {
  own = await testDatabase();
  database = new Database(await dataSourceFor(own.connection, 4).initialize());
  await database.rows('create table thing (id int primary key, n int not null constraint thing_n_key unique)');
});
afterAll(async () => {
  await database.source.destroy();
  await own.drop();
});
beforeEach(() => database.rows('delete from thing'));

const insert = (sql: Pick<Transaction, 'rows'>, id: number, n: number) =>
  sql.rows('insert into thing (id, n) values ($1, $2)', [id, n]);
const count = async (): Promise<number> =>
  (await database.rows<{ count: number }>('select count(*) as count from thing'))[0]?.count ?? -1;

describe('a transaction', () => {
  it('is there as a whole', async () => {
    await database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await insert(transaction, 2, 2);
    });
    expect(await count()).toBe(2);
  });

  it('leaves nothing when its work throws', async () => {
    const broken = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      throw new Error('no');
    });
    await expect(broken).rejects.toThrow('no');
    expect(await count()).toBe(0);
  });

  it('leaves nothing when a failed statement was swallowed', async () => {
    const swallowed = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await insert(transaction, 1, 2).catch(() => {});
    });
    await expect(swallowed).rejects.toThrow('failed before its COMMIT');
    expect(await count()).toBe(0);
  });

  it('runs all of its work again after a deadlock', async () => {
    await insert(database, 1, 1);
    await insert(database, 2, 2);
    let runs = 0;
    const bump = (first: number, second: number) =>
      database.transaction(async (transaction) => {
        runs += 1;
        await transaction.rows('update thing set n = n + 10 where id = $1', [first]);
        await new Promise((resolve) => setTimeout(resolve, 100));
        await transaction.rows('update thing set n = n + 10 where id = $1', [second]);
      });
    await Promise.all([bump(1, 2), bump(2, 1)]);
    expect(runs).toBeGreaterThan(2);
    expect(await database.rows('select id, n from thing order by id')).toEqual([
      { id: 1, n: 21 },
      { id: 2, n: 22 },
    ]);
  });

  it('that takes too long is rolled back and reported as not written', async () => {
    const hasty = new Database(database.source, undefined, 100);
    const slow = (last: (transaction: Transaction) => Promise<unknown>) =>
      hasty.transaction(async (transaction) => {
        await insert(transaction, 1, 1);
        await new Promise((resolve) => setTimeout(resolve, 150));
        await last(transaction);
      });
    await expect(slow((transaction) => insert(transaction, 2, 2))).rejects.toThrow(DatabaseUnavailable);
    await expect(slow(() => Promise.resolve())).rejects.toThrow(DatabaseUnavailable);
    expect(await count()).toBe(0);
  });

  it('whose connection is lost before COMMIT is reported as not written', async () => {
    const lost = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await transaction.rows('select pg_terminate_backend(pg_backend_pid())');
    });
    await expect(lost).rejects.toThrow(DatabaseUnavailable);
    expect(await count()).toBe(0);
  });

  it('whose connection is lost between two statements is reported as not written, and the process lives on', async () => {
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

  it('whose connection is lost at COMMIT is reported as unknown, and not repeated', async () => {
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

  it('is committed together with its last statement, after which there is none', async () => {
    await database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      const made = await transaction.last('insert into thing (id, n) values (2, 2) returning id');
      expect(made).toEqual([{ id: 2 }]);
      expect(await count()).toBe(2);
      await expect(insert(transaction, 3, 3)).rejects.toThrow('after the last one');
    });
    await database.transaction((transaction) => transaction.last('insert into thing (id, n) values (4, 4)'));
    expect(await count()).toBe(3);
  });

  it('whose last statement fails leaves nothing, says why, and gives its connection back whole', async () => {
    const broken = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await transaction.last('insert into thing (id, n) values (2, 1)');
    });
    await expect(broken).rejects.toMatchObject({ constraint: 'thing_n_key' });
    expect(await count()).toBe(0);
    expect(database.connections()).toMatchObject({ awaited: 0 });
    await Promise.all([1, 2, 3, 4].map((id) => database.transaction((transaction) => insert(transaction, id, id))));
    expect(await count()).toBe(4);
  });

  it('leaves nothing when a failed statement was swallowed before its last one', async () => {
    const swallowed = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await insert(transaction, 1, 2).catch(() => {});
      await transaction.last('select 1');
    });
    await expect(swallowed).rejects.toThrow('current transaction is aborted');
    expect(await count()).toBe(0);
  });

  it('whose connection is lost with its last statement is unknown, unless the server has told that it ended it', async () => {
    const told = database.transaction(async (transaction) => {
      await insert(transaction, 1, 1);
      await transaction.last('select pg_terminate_backend(pg_backend_pid())');
    });
    await expect(told).rejects.toThrow(DatabaseUnavailable);
    const cut = database.transaction(async (transaction) => {
      const [self] = await transaction.rows<{ pid: number }>('select pg_backend_pid() as pid');
      await database.source.query('select pg_terminate_backend($1)', [self?.pid]);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await transaction.last('insert into thing (id, n) values (2, 2)');
    });
    await expect(cut).rejects.toThrow(UnknownOutcome);
    expect(await count()).toBe(0);
  });

  it('that waits too long for a lock is reported as unavailable', async () => {
    await insert(database, 1, 1);
    const lock = (transaction: Transaction) => transaction.rows('select id from thing where id = 1 for update');
    const waited = database.transaction(async (transaction) => {
      await lock(transaction);
      await expect(database.source.transaction((manager) => manager.query('update thing set n = 5'))).rejects.toThrow(
        /lock timeout/,
      );
    });
    await waited;
  });

  it('tells a taken unique value by the constraint’s name', async () => {
    await insert(database, 1, 1);
    const error: unknown = await insert(database, 2, 1).catch((each: unknown) => each);
    expect([violates(error, 'thing_n_key'), violates(error, 'thing_pkey')]).toEqual([true, false]);
  });
});

describe('inside a transaction', () => {
  it('locks are taken in one order only', async () => {
    const backwards = database.transaction((transaction) => {
      transaction.locks('stock');
      transaction.locks('proforma');
      return Promise.resolve();
    });
    await expect(backwards).rejects.toThrow('proforma is locked after stock');
  });

  it('nothing may wait for a network, and no second transaction begins', async () => {
    const calling = database.transaction(() => Promise.resolve(assertOutsideTransaction('The gateway')));
    await expect(calling).rejects.toThrow('The gateway was called inside a transaction');
    const nested = database.transaction(() => database.transaction(() => Promise.resolve()));
    await expect(nested).rejects.toThrow('inside a transaction');
    expect(() => assertOutsideTransaction('The gateway')).not.toThrow();
  });

  it('bulk writes of one kind and app take turns', async () => {
    const order: string[] = [];
    const bulk = (name: string) =>
      database.transaction(async (transaction) => {
        await waitForBulkTurn(transaction, 'products', 1, 1);
        order.push(`${name} in`);
        await new Promise((resolve) => setTimeout(resolve, 50));
        order.push(`${name} out`);
      });
    await Promise.all([bulk('a'), bulk('b')]);
    expect(order.map((each) => each.slice(2))).toEqual(['in', 'out', 'in', 'out']);
  });
});

describe('a rehearsal', () => {
  const rehearse = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
    database.transaction(work, { rehearsal: true });

  it('does its work, answers it, and leaves nothing', async () => {
    const seen = await rehearse(async (transaction) => {
      await insert(transaction, 1, 1);
      return transaction.rows('select id from thing');
    });
    expect([seen, await count()]).toEqual([[{ id: 1 }], 0]);
  });

  it('leaves nothing of its last statement either', async () => {
    const last = await rehearse((transaction) =>
      transaction.last('insert into thing (id, n) values (1, 1) returning n'),
    );
    expect([last, await count()]).toEqual([[{ n: 1 }], 0]);
  });

  it('without a statement is nothing', async () => {
    expect(await rehearse(() => Promise.resolve(5))).toBe(5);
  });

  it('lets its locks go', async () => {
    await insert(database, 1, 1);
    await rehearse((transaction) => transaction.rows('update thing set n = 2 where id = 1'));
    await database.transaction((transaction) => transaction.rows('select from thing for update nowait'));
  });

  it('fails as the work itself would', async () => {
    await insert(database, 1, 1);
    const failed = await rehearse((transaction) => insert(transaction, 1, 2)).catch((error: unknown) => error);
    expect(violates(failed, 'thing_pkey')).toBe(true);
    expect(await rehearse((transaction) => insert(transaction, 2, 2))).toEqual([]);
  });
});

describe('a call that loses the database', () => {
  const lostAfter = (work: () => Promise<unknown>) =>
    tellingWrites(
      async () => {
        await work();
        throw new DatabaseUnavailable('gone');
      },
      (error) => error instanceof DatabaseUnavailable,
    );

  it.each([
    ['a transaction', () => database.transaction((transaction) => insert(transaction, 1, 1))],
    ['a single write', () => database.write((sql) => sql.last('insert into thing (id, n) values (1, 1)'))],
  ])('after %s has not written nothing', async (_, work) => {
    await expect(lostAfter(work)).rejects.toThrow(UnknownOutcome);
    expect(await count()).toBe(1);
  });

  it.each([
    ['a reading', () => count()],
    ['a rehearsal', () => database.transaction((sql) => insert(sql, 1, 1), { rehearsal: true })],
    ['a transaction that failed', () => database.transaction(() => Promise.reject(new Error('no'))).catch(() => {})],
  ])('after %s has written nothing', async (_, work) => {
    await expect(lostAfter(work)).rejects.toThrow(DatabaseUnavailable);
    expect(await count()).toBe(0);
  });
});

describe('a call that finds every connection taken', () => {
  /** Takes all connections for longer than one may wait for one. */
  const takeAll = async (): Promise<void> => {
    const { master } = database.source.driver as unknown as { readonly master: Pool };
    const taken = await Promise.all(Array.from({ length: 4 }, () => master.connect()));
    setTimeout(() => taken.forEach((client) => client.release()), TIMEOUTS.acquire + 500);
  };
  const inCall = <Result>(work: () => Promise<Result>) =>
    tellingWrites(work, (error) => error instanceof DatabaseUnavailable);
  const steps: [string, () => Promise<unknown>][] = [
    ['reads', () => count()],
    ['begins a transaction', () => database.transaction((sql) => sql.rows('select 1'))],
    ['writes', () => database.write((sql) => sql.last('update thing set n = 2'))],
  ];

  it.each(steps)('after its write waits on when it %s', async (_, step) => {
    const called = inCall(async () => {
      await database.transaction((transaction) => insert(transaction, 1, 1));
      await takeAll();
      return step();
    });
    await expect(called).resolves.toBeDefined();
    expect(await count()).toBe(1);
  });

  it.each(steps)('before its write is turned away when it %s', async (_, step) => {
    await takeAll();
    await expect(inCall(step)).rejects.toThrow(DatabaseUnavailable);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await count()).toBe(0);
  });
});

describe('a single write', () => {
  const SLOW = 'insert into thing (id, n) select 1, 1 from pg_sleep(0.3)';

  it('is there when it is done', async () => {
    await database.write((sql) => sql.last(SLOW));
    expect(await count()).toBe(1);
  });

  it('is not there when the server has told that it ended it', async () => {
    const told = database.write((sql) => sql.last('select pg_terminate_backend(pg_backend_pid())'));
    await expect(told).rejects.toThrow(DatabaseUnavailable);
  });

  it('whose connection is lost without a word is unknown, since it may be done', async () => {
    const lost = database.write((sql) => sql.last(SLOW));
    setTimeout(cutAll, 100);
    await expect(lost).rejects.toThrow(UnknownOutcome);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await count()).toBe(1);
  });

  it('whose reading is lost before is not written', async () => {
    const lost = database.write(async (sql) => {
      await sql.rows('select pg_sleep(0.3)');
      return sql.last(SLOW);
    });
    setTimeout(cutAll, 100);
    await expect(lost).rejects.toThrow(DatabaseUnavailable);
    expect(await count()).toBe(0);
  });

  /** As a network does that is gone. */
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

  it('is planned for the rows it has, not by a plan that was kept from a small one', async () => {
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
  ])('of %d rows has joins row by row %s', async (rows, expected) => {
    const found = await database.transaction(async (transaction) => {
      await beginBulk(transaction, rows);
      return transaction.rows(`select current_setting('enable_nestloop') as mode`);
    });
    expect(found).toEqual([{ mode: expected }]);
    expect(await database.rows(`select current_setting('enable_nestloop') as mode`)).toEqual([{ mode: 'on' }]);
  });

  it.each([
    ['in its turn', (transaction: Transaction) => waitForBulkTurn(transaction, 'products', 1, 1)],
    ['at once', (transaction: Transaction) => beginBulk(transaction, 1)],
  ])('%s has more time, also to wait for a lock', async (_, begin) => {
    const limits = await database.transaction(async (transaction) => {
      await begin(transaction);
      return transaction.rows(
        `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
      );
    });
    expect(limits).toEqual([{ statement: '15s', lock: '4500ms' }]);
  });

  it('whose last statement takes longer than another one may is committed and answered all the same', async () => {
    const { options } = dataSourceFor(own.connection, 1);
    const extra = { ...(options.extra as object), query_timeout: 700 };
    const source = await new DataSource({ ...options, extra } as DataSourceOptions).initialize();
    const impatient = new Database(source);
    const made = await impatient.transaction(async (transaction) => {
      await beginBulk(transaction, 1);
      return transaction.last<{ id: number }>(
        'with late as (select pg_sleep(1)) insert into thing (id, n) select 1, 1 from late returning id',
      );
    });
    await source.destroy();
    expect([made, await count()]).toEqual([[{ id: 1 }], 1]);
  });
});

describe('the timeout ladder', () => {
  it('gives up step by step, the server before the client', async () => {
    const [session] = await database.rows<Record<'lock' | 'statement' | 'idle' | 'zone', string>>(
      `select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
         current_setting('idle_in_transaction_session_timeout') as idle, current_setting('timezone') as zone`,
    );
    expect(session).toEqual({ lock: '2s', statement: '5s', idle: '10s', zone: 'UTC' });
    const { acquire, lock, statement, query, idleInTransaction, transaction, bulkStatement, bulkQuery } = TIMEOUTS;
    expect([acquire, lock, statement, query, idleInTransaction]).toEqual([2_000, 2_000, 5_000, 7_000, 10_000]);
    // A statement begun at the last moment still ends before a handler's 20 s.
    expect(transaction + query).toBeLessThan(20_000);
    // A bulk write has the time of the whole request.
    expect(transaction + bulkStatement).toBeLessThan(PATIENCE.request);
    expect(bulkStatement).toBeLessThan(bulkQuery);
    expect([PATIENCE.head, PATIENCE.jsonBody, PATIENCE.request]).toEqual([10_000, 30_000, 120_000]);
  });

  it('does not wait for ever for a connection of a pool that is used up', async () => {
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
  it('is read committed, whatever is usual on the server', async () => {
    const [{ name } = { name: '' }] = await database.rows<{ name: string }>('select current_database() as name');
    await database.rows(`alter database ${name} set default_transaction_isolation = 'serializable'`);
    const source = await dataSourceFor(own.connection, 1).initialize();
    const isolation = await new Database(source).transaction((each) => each.rows('show transaction_isolation'));
    await source.destroy();
    expect(isolation).toEqual([{ transaction_isolation: 'read committed' }]);
  });
});

describe('what the address of the database asks of a session', () => {
  it('is added to what the service needs, and never takes its place', async () => {
    const asked = encodeURIComponent('-c search_path=public,pg_temp -c default_transaction_isolation=serializable');
    const url = `${own.url}${own.url.includes('?') ? '&' : '?'}options=${asked}&application_name=shop`;
    const source = await dataSourceFor({ url }, 1).initialize();
    const pool = jobPool({ url }, 1);
    const shown = `select current_setting('search_path') as path, current_setting('timezone') as zone,
      current_setting('default_transaction_isolation') as isolation`;
    const [ofService, ofJobs] = [await new Database(source).rows(shown), (await pool.query(shown)).rows];
    await Promise.all([source.destroy(), pool.end()]);
    const expected = [{ path: 'public,pg_temp', zone: 'UTC', isolation: 'read committed' }];
    expect([ofService, ofJobs]).toEqual([expected, expected]);
  });
});

describe('the schema', () => {
  it('keeps every time with its zone, and no amount as a fraction', async () => {
    const rows = await database.rows<{ column: string }>(
      `select table_name || '.' || column_name as column from information_schema.columns
       where table_schema = 'public' and data_type in ('timestamp without time zone', 'numeric', 'real', 'double precision', 'money')
         and column_name not in ('latitude', 'longitude', 'accuracy')`,
    );
    expect(rows).toEqual([]);
  });
});
