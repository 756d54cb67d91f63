import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;
beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
});
afterAll(() => api.close());

describe('a list parameter written with commas', () => {
  const entries = (count: number, entry: string) => Array.from({ length: count }, () => entry).join(',');
  const half = entries(500, 'draft');

  it.each([
    ['1,000 statuses', () => shop.get(`/proforma_orders?status=${entries(1_000, 'draft')}`), 200],
    ['1,001 statuses', () => shop.get(`/proforma_orders?status=${entries(1_001, 'draft')}`), 400],
    ['1,000 empty ones', () => shop.get(`/proforma_orders?status=${','.repeat(999)}`), 200],
    ['1,001 empty ones', () => shop.get(`/proforma_orders?status=${','.repeat(1_000)}`), 400],
    ['1,001 in two parameters', () => shop.get(`/proforma_orders?status=${half}&status=${half},paid`), 400],
    ['1,001 in two indexes', () => shop.get(`/proforma_orders?status[0]=${half}&status[1]=${half},paid`), 400],
    ['1,000 ids', () => shop.delete(`/cdn/files/purge?ids=${entries(1_000, '1')}`), 200],
    ['1,001 ids', () => shop.delete(`/cdn/files/purge?ids=${entries(1_001, '1')}`), 400],
    ['1,001 ids with brackets', () => shop.delete(`/cdn/files/purge?ids[]=${entries(1_001, '1')}`), 400],
  ])('%s', async (_, call, status) => {
    expect((await call()).status).toBe(status);
  });
});
