import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

const ACCOUNT = {
  beneficiary: 'Радња „Ципела“ д.о.о.',
  address: 'Булевар 1, Нови Сад',
  account_number: '160-445-21',
  purpose: 'Kupovina',
};

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', price: 1290.5 }]);
  await shop.patch('/app/settings', { bank_account: ACCOUNT });
});

const draw = (id: number | string, accept?: string): Promise<Response> =>
  fetch(`${api.origin}/api/v2/proforma_orders/${id}/payment_qr`, {
    headers: { Authorization: `Bearer ${shop.token}`, ...(accept !== undefined && { Accept: accept }) },
  });

/** What a phone reads from the picture. */
async function read(response: Response): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
  const decode = jsqr as unknown as (
    pixels: Uint8ClampedArray,
    width: number,
    height: number,
  ) => { data: string } | null;
  return decode(new Uint8ClampedArray(data), width, height)?.data;
}

describe('the QR code of a proforma', () => {
  it.each([undefined, '*/*', 'image/png', 'image/*', 'image/svg+xml;q=0.5, image/png'])(
    'is a PNG that says what the payment instructions say (Accept: %s)',
    async (accept) => {
      const { id, payment_instructions: instructions } = await propose(shop, [{ code: 'A', qty: 2 }]);
      const response = await draw(id, accept);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(instructions.qr).toMatch(
        /^K:PR\|V:01\|C:1\|R:160000000000044521\|N:Радња .+\|I:RSD2581,00\|SF:289\|S:Kupovina\|RO:97\d\d2026/,
      );
      expect(await read(response)).toBe(instructions.qr);
    },
  );

  it('is an SVG for those who ask for one', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const response = await draw(id, 'image/svg+xml');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    const picture = await response.text();
    // The same modules as the PNG has: 4 pixels each.
    const [, width] = /viewBox="0 0 (\d+) \1"/.exec(picture) ?? [];
    const png = PNG.sync.read(Buffer.from(await (await draw(id)).arrayBuffer()));
    expect(Number(width) * 4).toBe(png.width);
    expect(picture).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*<\/svg>\n?$/s);
  });

  it.each(['application/json', 'text/html', 'image/jpeg'])('is not to be had as %s', async (accept) => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const response = await draw(id, accept);
    expect([response.status, await response.json()]).toEqual([406, { errors: { detail: 'Not Acceptable' } }]);
  });

  it('follows what is still owed', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const { body } = await shop.get('/payment_methods');
    await shop.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: body.data[0].id, amount: 81 } });
    expect(await read(await draw(id))).toContain('|I:RSD2500,00|');
  });

  it.each([
    ['without an account', { account_number: null }],
    ['without a beneficiary', { beneficiary: null }],
  ])('is refused to an app %s', async (_, account) => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    await shop.patch('/app/settings', { bank_account: account });
    const response = await draw(id);
    expect([response.status, await response.json()]).toEqual([
      422,
      { errors: { ProformaOrders: ['API.ProformaOrders.NoPaymentQr'] } },
    ]);
  });

  it('is refused in another currency', async () => {
    shop = await api.app('EUR');
    await stockShop(shop, [{ code: 'A' }]);
    await shop.patch('/app/settings', { bank_account: ACCOUNT });
    expect((await draw((await propose(shop, [{ code: 'A', qty: 1 }])).id)).status).toBe(422);
  });

  it('of a proforma that is not in the app is missing', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    shop = await api.app();
    const replies = [await draw(id), await draw('x')];
    for (const response of replies) expect([response.status, await response.text()]).toEqual([404, '']);
  });
});
