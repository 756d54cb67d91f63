import { testApi, type TestApi } from './test-api.js';

const QUERY_WITHOUT_APP = 'select 1 from orders where id = $1';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});

describe('a statement without the app id', () => {
  it('fails its suite, with the statement in the error', async () => {
    await api.postgres.rows(QUERY_WITHOUT_APP, [1]);
    await expect(api.close()).rejects.toThrow(`orders is not tied to the app:\n${QUERY_WITHOUT_APP}`);
    await expect(fetch(api.origin)).rejects.toThrow();
    await expect(api.database.rows('select 1')).rejects.toThrow();
  });

  it('fails its suite, even when sent in a transaction', async () => {
    await api.postgres.transaction(async (transaction) => {
      await transaction.rows('select 1 from orders where app_id = $1', [1]);
      await transaction.runLast(QUERY_WITHOUT_APP, [1]);
    });
    await expect(api.close()).rejects.toThrow(`orders is not tied to the app:\n${QUERY_WITHOUT_APP}`);
  });

  it('fails its suite, even when TypeORM generated it', async () => {
    const { source } = api.postgres;
    await source.getRepository('customers').findOneBy({ id: 1 });
    await expect(api.close()).rejects.toThrow('customers is not tied to the app');
  });
});

describe('a statement of a test', () => {
  it('is not checked', async () => {
    await api.app();
    await api.database.rows(QUERY_WITHOUT_APP, [1]);
    expect(api.statements).not.toContain(QUERY_WITHOUT_APP);
    await api.close();
  });
});
