import { fingerprintsOf } from './fingerprints.js';
import { testApi, type Client, type TestApi } from './test-api.js';

let api: TestApi;
let mine: Client;
let other: Client;

beforeAll(async () => {
  api = await testApi();
  mine = await api.app();
  other = await api.app();
});
afterAll(() => api.close());

describe('the fingerprints of apps', () => {
  it('change with each write of their app only', async () => {
    const fingerprints = await fingerprintsOf(api.database);
    const detectWrites = async (sql: string): Promise<boolean[]> => {
      const before = await fingerprints();
      await api.database.source.query(sql);
      const after = await fingerprints();
      return [mine, other].map(({ appId }) => before.get(appId) !== after.get(appId));
    };
    const isMine = `app_id = ${mine.appId}`;
    const insert = `insert into cdn_folders (app_id, path, parent, name, inserted_at, updated_at)
      values (${mine.appId}, 'a', '', 'a', now(), now())`;
    const update = `update cdn_folders set description = 'x' where ${isMine}`;
    const remove = `delete from cdn_folders where ${isMine}`;
    expect(await detectWrites(insert)).toEqual([true, false]);
    expect(await detectWrites(update)).toEqual([true, false]);
    expect(await detectWrites(update)).toEqual([true, false]);
    expect(await detectWrites(`update apps set name = name where id = ${mine.appId}`)).toEqual([true, false]);
    expect(await detectWrites(`select from cdn_folders where ${isMine} for update`)).toEqual([false, false]);
    expect(await detectWrites(`begin; ${remove}; rollback`)).toEqual([false, false]);
    expect(await detectWrites(`${remove}; ${insert}`)).toEqual([true, false]);
    expect(await detectWrites(remove)).toEqual([true, false]);
    expect(await detectWrites([insert, update, remove].join(';'))).toEqual([false, false]);
  });
});
