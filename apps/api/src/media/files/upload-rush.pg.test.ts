import { testApi, type Client, type TestApi } from '../../testing/test-api.js';

const UPLOAD_COUNT = 80;

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi({ DATABASE_POOL_SIZE: '4' });
  shop = await api.app();
  // With slow updates, some calls exceed their timeout while they wait for a connection.
  await api.database.rows(`create function slow() returns trigger language plpgsql as
    'begin perform pg_sleep(0.05); return new; end'`);
  await api.database.rows('create trigger slow before update on cdn_files for each row execute function slow()');
});
afterAll(() => api.close());

const repeatUpload = <Result>(call: (index: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: UPLOAD_COUNT }, (_, index) => call(index)));

describe('many concurrent uploads into one folder', () => {
  it('answers each upload with 201 and a stored file, or with 503', async () => {
    const replies = await repeatUpload((index) =>
      shop.upload('/cdn/files', { name: `${index}.txt`, bytes: Buffer.from(`text ${index}`) }, { folder: 'rush' }),
    );
    const statuses = replies.map(({ status }) => status);
    expect([...new Set(statuses)].toSorted((a, b) => a - b)).toEqual([201, 503]);
    const storedRows = await api.database.rows<{ filename: string }>(
      `select filename from cdn_files where app_id = $1 and state = 'active'`,
      [shop.appId],
    );
    const createdNames = replies.filter(({ status }) => status === 201).map(({ body }) => body.data.filename);
    expect(new Set(createdNames)).toEqual(new Set(storedRows.map(({ filename }) => filename)));
  }, 60_000);
});
