import { watchWrites } from './write-counters.js';
import { testApi, type Client, type TestApi } from './test-api.js';

let api: TestApi;
let client: Client;
let otherClient: Client;

beforeAll(async () => {
  api = await testApi();
  client = await api.app();
  otherClient = await api.app();
});
afterAll(() => api.close());

describe('the write counters of apps', () => {
  it('change with each write to their app, but not with writes to another app', async () => {
    const readWriteCounters = await watchWrites(api.database);
    const detectWrites = async (sql: string): Promise<boolean[]> => {
      const countersBefore = await readWriteCounters();
      await api.database.source.query(sql);
      const countersAfter = await readWriteCounters();
      return [client, otherClient].map(({ appId }) => countersBefore.get(appId) !== countersAfter.get(appId));
    };
    const isOwnRow = `app_id = ${client.appId}`;
    const insert = `insert into cdn_folders (app_id, path, parent, name, inserted_at, updated_at)
      values (${client.appId}, 'a', '', 'a', now(), now())`;
    const update = `update cdn_folders set description = 'x' where ${isOwnRow}`;
    const remove = `delete from cdn_folders where ${isOwnRow}`;
    expect(await detectWrites(insert)).toEqual([true, false]);
    expect(await detectWrites(update)).toEqual([true, false]);
    expect(await detectWrites(update)).toEqual([true, false]);
    expect(await detectWrites(`update app_settings set name = name where app_id = ${client.appId}`)).toEqual([
      true,
      false,
    ]);
    expect(await detectWrites(`select from cdn_folders where ${isOwnRow} for update`)).toEqual([false, false]);
    expect(await detectWrites(`begin; ${remove}; rollback`)).toEqual([false, false]);
    expect(await detectWrites(`${remove}; ${insert}`)).toEqual([true, false]);
    expect(await detectWrites(remove)).toEqual([true, false]);
    expect(await detectWrites([insert, update, remove].join(';'))).toEqual([false, false]);
  });
});
