import { testApi, type Client, type TestApi } from '../../testing/test-api.js';

const UPLOADS = 80;

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi({ DATABASE_POOL_SIZE: '4' });
  shop = await api.app();
  // Slows the database down, so that some calls time out waiting for a connection.
  await api.database.rows(`create function slow() returns trigger language plpgsql as
    'begin perform pg_sleep(0.05); return new; end'`);
  await api.database.rows('create trigger slow before update on cdn_files for each row execute function slow()');
});
afterAll(() => api.close());

const runAll = <Result>(call: (n: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: UPLOADS }, (_, n) => call(n)));

describe('many concurrent uploads into one folder', () => {
  it('are stored with 201 or refused with 503', async () => {
    const replies = await runAll((n) =>
      shop.upload('/cdn/files', { name: `${n}.txt`, bytes: Buffer.from(`text ${n}`) }, { folder: 'rush' }),
    );
    const statuses = replies.map(({ status }) => status);
    expect([...new Set(statuses)].toSorted((one, other) => one - other)).toEqual([201, 503]);
    const stored = await api.database.rows<{ filename: string }>(
      `select filename from cdn_files where app_id = $1 and state = 'active'`,
      [shop.appId],
    );
    const created = replies.filter(({ status }) => status === 201).map(({ body }) => body.data.filename);
    expect(new Set(created)).toEqual(new Set(stored.map(({ filename }) => filename)));
  }, 60_000);
});
