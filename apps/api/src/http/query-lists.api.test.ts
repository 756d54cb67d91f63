import { propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;
beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
});
afterAll(() => api.close());

describe('a comma-separated list', () => {
  const repeatEntry = (count: number, entry: string) => Array.from({ length: count }, () => entry).join(',');
  const halfList = repeatEntry(500, 'draft');

  it.each([
    ['1,000 statuses', () => shop.get(`/proforma_orders?status=${repeatEntry(1_000, 'draft')}`), 200],
    ['1,001 statuses', () => shop.get(`/proforma_orders?status=${repeatEntry(1_001, 'draft')}`), 400],
    ['1,000 empty entries', () => shop.get(`/proforma_orders?status=${','.repeat(999)}`), 200],
    ['1,001 empty entries', () => shop.get(`/proforma_orders?status=${','.repeat(1_000)}`), 400],
    ['1,001 in two parameters', () => shop.get(`/proforma_orders?status=${halfList}&status=${halfList},paid`), 400],
    ['1,001 in two indexes', () => shop.get(`/proforma_orders?status[0]=${halfList}&status[1]=${halfList},paid`), 400],
    ['1,000 ids', () => shop.delete(`/cdn/files/purge?ids=${repeatEntry(1_000, '1')}`), 200],
    ['1,001 ids', () => shop.delete(`/cdn/files/purge?ids=${repeatEntry(1_001, '1')}`), 400],
    ['1,001 ids with brackets', () => shop.delete(`/cdn/files/purge?ids[]=${repeatEntry(1_001, '1')}`), 400],
  ])('is limited to 1,000 entries: %s', async (_, call, status) => {
    expect((await call()).status).toBe(status);
  });
});

describe('a time zone offset with an unencoded plus sign', () => {
  const pastMoment = '2020-01-01T00:00:00+02:00';
  const futureMoment = '2100-01-01T00:00:00.5+02:00';

  beforeAll(async () => {
    await stockShop(shop, [{ code: 'A' }]);
    await propose(shop, [{ code: 'A', qty: 1 }]);
  });

  it.each([
    ['/proforma_orders?date_from=', pastMoment, 1, futureMoment, 0],
    ['/proforma_orders?date_to=', pastMoment, 0, futureMoment, 1],
    ['/stock_movements?dateFrom=2000-01-01&dateUntil=', pastMoment, 0, futureMoment, 2],
    ['/orders?dateTimeTo=', pastMoment, 0, futureMoment, 0],
  ] as const)('is read in %s', async (path, firstMoment, firstCount, secondMoment, secondCount) => {
    const count = async (moment: string) => {
      const { status, body } = await shop.get(path + moment);
      return [status, (body as { data: unknown[] }).data.length];
    };
    expect(await count(firstMoment)).toEqual([200, firstCount]);
    expect(await count(secondMoment)).toEqual([200, secondCount]);
  });

  it('is read in statistics and consents', async () => {
    const { body } = await shop.get(`/proforma_orders/stats?date_from=${pastMoment}&date_to=${pastMoment}`);
    expect(body).toMatchObject({ data: { conversion_rate: null, date_from: '2019-12-31T22:00:00' } });
    const parts = 'dataPart=1&timePart=1';
    expect((await shop.get(`/customers/1/consents?${parts}&at=${pastMoment}`)).status).toBe(404);
  });

  it.each(['2020-01-01T00:00:00 0200', '2020-01-01T00:00 02', '2020-01-01 00:00 02:00'])(
    'is read in %s',
    async (text) => {
      expect((await shop.get(`/orders?dateTimeTo=${text.replaceAll(' ', '+')}`)).status).toBe(200);
    },
  );

  it.each(['2020-01-01  02:00', '2020-01-01T00:00:00 020', '2020-01-01T00:00:00  02:00'])(
    'is refused in %s',
    async (text) => {
      expect((await shop.get(`/orders?dateTimeTo=${text.replaceAll(' ', '+')}`)).status).toBe(400);
    },
  );
});
