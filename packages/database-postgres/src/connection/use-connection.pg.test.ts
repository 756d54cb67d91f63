import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import { makeTestDatabase, type TestDatabase } from '../../testing/test-database.js';
import { dataSourceFor, type ConnectionTarget } from './data-source.js';
import { Postgres } from './postgres.js';

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await makeTestDatabase();
});
afterAll(() => testDatabase.drop());

const MARK = '/* ends its connection */';
const ENDING = `select 1 ${MARK}`;

describe('a connection that ends with an error', () => {
  let proxy: Awaited<ReturnType<typeof startEndingProxy>>;
  let database: Postgres;
  afterEach(async () => {
    await database.source.destroy();
    proxy.stop();
  });

  it.each([
    ['by a pool', '08P01'],
    ['by the server', '57P05'],
  ])('is given to no other call, when it is ended %s', async (_, code) => {
    proxy = await startEndingProxy(testDatabase.connection, code);
    database = await Postgres.open(dataSourceFor(proxy.connection, 1));
    const ended = database.rows(ENDING);
    const waiting = [database.rows('select 1 as n'), database.write((sql) => sql.runLast('select 2 as n'))];
    await expect(ended).rejects.toThrow(DatabaseUnavailable);
    expect(await Promise.all(waiting)).toEqual([[{ n: 1 }], [{ n: 2 }]]);
  });

  it('leaves the outcome of a single write unknown, when a pool ends the connection', async () => {
    proxy = await startEndingProxy(testDatabase.connection, '08P01');
    database = await Postgres.open(dataSourceFor(proxy.connection, 1));
    await expect(database.write((sql) => sql.runLast(ENDING))).rejects.toThrow(UnknownOutcome);
    await expect(database.rows(ENDING)).rejects.toThrow(DatabaseUnavailable);
    await expect(database.transaction((transaction) => transaction.rows(ENDING))).rejects.toThrow(DatabaseUnavailable);
  });
});

describe('a connection that a pool ends after COMMIT', () => {
  const INSERT = `insert into ended_item (name) values ($1) ${MARK}`;

  it('leaves the outcome of a transaction unknown', async () => {
    const direct = await Postgres.open(dataSourceFor(testDatabase.connection, 1));
    await direct.rows('create table ended_item (name text)');
    const proxy = await startEndingProxy(testDatabase.connection, '08P01', { runsStatements: true });
    const database = await Postgres.open(dataSourceFor(proxy.connection, 1));
    const result = database.transaction((transaction) => transaction.runLast(INSERT, ['a']));
    await expect(result).rejects.toThrow(UnknownOutcome);
    expect(await direct.rows('select name from ended_item')).toEqual([{ name: 'a' }]);
    await direct.rows('drop table ended_item');
    await Promise.all([database.source.destroy(), direct.source.destroy()]);
    proxy.stop();
  });
});

describe('a value that cannot be sent', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  it('does not break its statement for later calls', async () => {
    const database = await Postgres.open(dataSourceFor(testDatabase.connection, 1));
    const text = 'select $1::text as sent';
    await expect(database.rows(text, [circular])).rejects.toThrow(TypeError);
    expect(await database.rows(text, ['a'])).toEqual([{ sent: 'a' }]);
    await expect(database.transaction((transaction) => transaction.rows(text, [circular]))).rejects.toThrow(TypeError);
    expect(await database.rows(text, ['b'])).toEqual([{ sent: 'b' }]);
    await database.source.destroy();
  });
});

/**
 * Starts a proxy that answers a marked statement with a fatal error, and closes the connection a moment later. The server
 * gets the marked statement only with `runsStatements`.
 */
async function startEndingProxy(target: ConnectionTarget, code: string, { runsStatements = false } = {}) {
  const proxy = createServer((client) => {
    const server = connectTo(target);
    const end = () => [client, server].forEach((side) => side.destroy());
    for (const side of [client, server]) side.on('error', end).on('close', end);
    server.pipe(client);
    client.on('data', (bytes) => {
      const ends = bytes.includes(MARK);
      if (ends) server.unpipe(client);
      if (!ends || runsStatements) server.write(bytes);
      if (!ends) return;
      client.write(fatalError(code));
      setTimeout(end, 100);
    });
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  return { connection: viaPort(target, port), stop: () => void proxy.close() };
}

function connectTo(target: ConnectionTarget): Socket {
  if (!('url' in target)) return connect(`${target.host}/.s.PGSQL.5432`);
  const { hostname, port } = new URL(target.url);
  return connect(Number(port) || 5432, hostname);
}

function viaPort(target: ConnectionTarget, port: number): ConnectionTarget {
  if (!('url' in target)) return { url: `postgres://${target.user}@127.0.0.1:${port}/${target.database}` };
  const url = new URL(target.url);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href };
}

function fatalError(code: string): Buffer {
  const fields = Object.entries({ S: 'FATAL', C: code, M: 'the connection ends' });
  const content = Buffer.from(`${fields.map(([name, value]) => `${name}${value}\0`).join('')}\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}
