import jsqr from 'jsqr';
import { PNG } from 'pngjs';
import { methodId, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

const ACCOUNT = {
  beneficiary: 'Радња „Ципела“ д.о.о.',
  address: 'Булевар 1, Нови Сад',
  account_number: '160-445-02',
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

const fetchQr = (id: number | string, accept?: string): Promise<Response> =>
  fetch(`${api.origin}/api/v2/proforma_orders/${id}/payment_qr`, {
    headers: { Authorization: `Bearer ${shop.token}`, ...(accept !== undefined && { Accept: accept }) },
  });

async function decodeQr(response: Response): Promise<string | undefined> {
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
    'is a PNG of the payment instructions (Accept: %s)',
    async (accept) => {
      const { id, payment_instructions: instructions } = await propose(shop, [{ code: 'A', qty: 2 }]);
      const response = await fetchQr(id, accept);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
      expect(instructions.qr).toMatch(
        /^K:PR\|V:01\|C:1\|R:160000000000044502\|N:Радња .+\|I:RSD2581,00\|SF:289\|S:Kupovina\|RO:97\d\d2026/,
      );
      expect(await decodeQr(response)).toBe(instructions.qr);
    },
  );

  it('is an SVG when Accept asks for it', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const response = await fetchQr(id, 'image/svg+xml');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    const svg = await response.text();
    // The PNG shows the same modules as the SVG, each 4 pixels wide.
    const [, width] = /viewBox="0 0 (\d+) \1"/.exec(svg) ?? [];
    const png = PNG.sync.read(Buffer.from(await (await fetchQr(id)).arrayBuffer()));
    expect(Number(width) * 4).toBe(png.width);
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*<\/svg>\n?$/s);
  });

  it.each(['application/json', 'text/html', 'image/jpeg'])('is answered 406 for %s', async (accept) => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const response = await fetchQr(id, accept);
    expect([response.status, await response.json()]).toEqual([406, { errors: { detail: 'Not Acceptable' } }]);
  });

  it('contains the remaining debt', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const { body } = await shop.get('/payment_methods');
    await shop.post(`/proforma_orders/${id}/pay`, { payment: { payment_method_id: body.data[0].id, amount: 81 } });
    expect(await decodeQr(await fetchQr(id))).toContain('|I:RSD2500,00|');
  });

  it.each([
    ['without an account', { account_number: null }],
    ['without a beneficiary', { beneficiary: null }],
  ])('is refused for an app %s', async (_, account) => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    await shop.patch('/app/settings', { bank_account: account });
    const response = await fetchQr(id);
    expect([response.status, await response.json()]).toEqual([
      422,
      { errors: { ProformaOrders: ['API.ProformaOrders.NoPaymentQr'] } },
    ]);
  });

  it('is refused for a currency other than RSD', async () => {
    shop = await api.app('EUR');
    await stockShop(shop, [{ code: 'A' }]);
    await shop.patch('/app/settings', { bank_account: ACCOUNT });
    expect((await fetchQr((await propose(shop, [{ code: 'A', qty: 1 }])).id)).status).toBe(422);
  });
});

describe('a converted proforma', () => {
  interface Order {
    readonly id: number;
    readonly data_part: number;
    readonly time_part: number;
  }
  const readProforma = async (id: number) => (await shop.get(`/proforma_orders/${id}`)).body.data;
  const convert = async (id: number): Promise<Order> => (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
  const update = async ({ id, data_part, time_part }: Order, change: object): Promise<void> => {
    const { body } = await shop.put('/orders/bulk_update', { orders: [{ id, data_part, time_part, ...change }] });
    expect(body.data).toEqual({ updated: 1, failed: [] });
  };
  const readDue = async (id: number) => {
    const { amount, qr } = (await readProforma(id)).payment_instructions;
    return { amount, qr: /I:RSD([^|]+)/.exec(qr ?? '')?.[1] ?? null, drawn: (await fetchQr(id)).status };
  };
  const NOTHING_DUE = { amount: 0, qr: null, drawn: 422 };

  it('shows instructions for the debt of the order, and keeps the debt of the proforma', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const proforma = (await shop.post(`/proforma_orders/${id}/card_payments`, { payment: { amount: 81 } })).body.data;
    await convert(id);
    expect(await readDue(id)).toEqual({ amount: 2581, qr: '2581,00', drawn: 200 });
    const result = { result: { status: 'settled' } };
    await shop.post(`/proforma_orders/${id}/card_payments/${proforma.payments[0].id}/result`, result);
    expect(await readDue(id)).toEqual({ amount: 2500, qr: '2500,00', drawn: 200 });
    expect(await readProforma(id)).toMatchObject({ paid: 0, debt: 2581 });
  });

  it('shows instructions without an amount after a card payment covers the order', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const proforma = (await shop.post(`/proforma_orders/${id}/card_payments`, { payment: {} })).body.data;
    await convert(id);
    const result = { result: { status: 'settled' } };
    const path = `/proforma_orders/${id}/card_payments/${proforma.payments[0].id}/result`;
    const proformaAfter = (await shop.post(path, result)).body.data;
    expect(proformaAfter.payment_instructions).toMatchObject({ amount: 0, qr: null });
    expect(await readDue(id)).toEqual(NOTHING_DUE);
  });

  it.each([
    ['is completed', { order_status_id: 2 }],
    ['is cancelled', { order_status_id: 3 }],
    ['is marked as paid', { payment_status_id: 3 }],
    ['is marked as refunded', { payment_status_id: 4 }],
  ])('shows instructions without an amount when the order %s', async (_, change) => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    await update(await convert(id), change);
    expect(await readDue(id)).toEqual(NOTHING_DUE);
  });

  it('shows instructions for the debt of a reopened order', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const order = await convert(id);
    await update(order, { order_status_id: 2, payment_status_id: 3 });
    await update(order, { order_status_id: 1, payment_status_id: 1 });
    expect(await readDue(id)).toEqual({ amount: 1290.5, qr: '1290,50', drawn: 200 });
  });

  it('shows instructions without an amount for a proforma paid in full', async () => {
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    const payment = { payment_method_id: await methodId(shop, 'bank_transfer'), amount: 0 };
    await shop.post(`/proforma_orders/${id}/pay`, { payment });
    await convert(id);
    expect(await readDue(id)).toEqual(NOTHING_DUE);
  });
});
