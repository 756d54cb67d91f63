import { CustomerEntity } from '../customers/index.js';
import { TOKENS } from '../tokens.js';
import { testApi, type TestApi } from './test-api.js';

const BY_ID_ALONE = 'select 1 from orders where id = $1';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});

describe('a service that has asked for a record by its id alone', () => {
  it('fails its suite at the end, which tells the statement, and leaves nothing behind', async () => {
    await api.container.get(TOKENS.Database).rows(BY_ID_ALONE, [1]);
    await expect(api.close()).rejects.toThrow(`orders is not tied to the app:\n${BY_ID_ALONE}`);
    await expect(fetch(api.origin)).rejects.toThrow();
    await expect(api.database.rows('select 1')).rejects.toThrow();
  });

  it('fails it as well when that was in a transaction', async () => {
    await api.container.get(TOKENS.Database).transaction(async (transaction) => {
      await transaction.rows('select 1 from orders where app_id = $1', [1]);
      await transaction.last(BY_ID_ALONE, [1]);
    });
    await expect(api.close()).rejects.toThrow(`app\n\norders is not tied to the app:\n${BY_ID_ALONE}`);
  });

  it('fails it as well when TypeORM has written the statement', async () => {
    const { source } = api.container.get(TOKENS.Database);
    await source.getRepository(CustomerEntity).findOneBy({ id: 1 });
    await expect(api.close()).rejects.toThrow('customers as Customer is not tied to the app');
  });
});

describe('what a test asks by itself', () => {
  it('is its own business', async () => {
    await api.app();
    await api.database.rows(BY_ID_ALONE, [1]);
    expect(api.statements).not.toContain(BY_ID_ALONE);
    await api.close();
  });
});
