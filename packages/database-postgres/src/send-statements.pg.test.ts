import { makeTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { dataSourceFor } from './data-source.js';
import { Postgres } from './postgres.js';

interface Observed {
  readonly text: string;
  /** SQLSTATE of the error, or `ok`. */
  readonly result: string;
}

let testDatabase: TestDatabase;
let database: Postgres;
let observed: Observed[];

beforeAll(async () => {
  testDatabase = await makeTestDatabase();
  database = new Postgres(await dataSourceFor(testDatabase.connection, 2).initialize(), (text) => (error) => {
    observed.push({ text, result: error === undefined ? 'ok' : ((error as { code?: string }).code ?? 'lost') });
  });
  observed = [];
  await database.rows('create table item (id int primary key)');
});
afterAll(async () => {
  await database.source.destroy();
  await testDatabase.drop();
});
beforeEach(() => (observed = []));

const INSERT = 'insert into item (id) values ($1)';

describe('the observer of statements', () => {
  it('gets the text of a statement without its values', async () => {
    await database.rows('select $1::int as n', [4_711]);
    expect(observed).toEqual([{ text: 'select $1::int as n', result: 'ok' }]);
  });

  it('gets each statement of a transaction and its end', async () => {
    await database.transaction(async (transaction) => {
      await transaction.rows('select 1');
      await transaction.runLast(INSERT, [1]);
    });
    expect(observed.map(({ text }) => text)).toEqual(['select 1', INSERT, 'COMMIT']);
  });

  it('gets the end of a dry run', async () => {
    await database.transaction((transaction) => transaction.rows(INSERT, [2]), { dryRun: true });
    expect(observed.map(({ text }) => text)).toEqual([INSERT, 'ROLLBACK']);
  });

  it('gets the error of a failed statement', async () => {
    const work = () => database.write((sql) => sql.runLast(INSERT, [3]));
    await work();
    await expect(work()).rejects.toThrow('duplicate');
    await expect(database.transaction((sql) => sql.runLast(INSERT, [3]))).rejects.toThrow('duplicate');
    expect(observed.slice(0, 3)).toEqual([
      { text: INSERT, result: 'ok' },
      { text: INSERT, result: '23505' },
      { text: INSERT, result: '23505' },
    ]);
  });

  it('gets an error when the connection is lost', async () => {
    await expect(database.rows('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow('unavailable');
    expect(observed.map(({ result }) => result)).toEqual(['57P01']);
  });
});
