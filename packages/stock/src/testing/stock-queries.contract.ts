import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { address, pieces, StockedShop, type GivenStock } from './given-stock.js';

type NewShop = () => Promise<StockedShop>;

/** Tests for every adapter of {@link StockQueries}. Each test has its own app. */
export function stockQueriesContract(runner: Runner, open: () => Promise<GivenStock>): void {
  let given: GivenStock;
  runner.before(async () => {
    given = await open();
  });
  runner.after(() => given.close());
  const newShop = async (): Promise<StockedShop> => {
    const shop = await StockedShop.open(given);
    await shop.add(
      pieces(1, { code: 'C' }),
      pieces(2, { warehouse_code: 'W2', min_qty: 4 }),
      pieces(3, { code: 'B' }),
      pieces(4),
    );
    return shop;
  };

  runner.describe('the list of stock', () => stocks(runner, newShop));
  runner.describe('the stock by variant', () => sums(runner, newShop));
  runner.describe('the stock movements', () => movements(runner, newShop));
}

const seconds = (date: Date): string => date.toISOString().slice(0, 19);

function stocks({ it }: Runner, newShop: NewShop): void {
  const shelves = async (shop: StockedShop, ...asked: Parameters<StockedShop['stocks']>) =>
    (await shop.stocks(...asked)).map((row) => `${row.code}@${row.warehouse_code}`);

  it('is sorted by product, variant and warehouse', async () => {
    const shop = await newShop();
    expect(await shelves(shop)).toEqual(['A@W1', 'A@W2', 'B@W1', 'C@W1']);
    expect((await shop.stocks())[1]).toEqual({
      id: expect.any(Number),
      product_id: shop.p,
      product_variant_id: expect.any(Number),
      product_name: 'P',
      code: 'A',
      barcode: '860',
      warehouse_id: shop.w2.id,
      warehouse_code: 'W2',
      on_hand: 2,
      reserved: 0,
      available: 0,
      min_qty: 4,
      updated_at: seconds(shop.given.now()),
    });
    expect((await shop.stocks())[0]).toMatchObject({ on_hand: 4, available: 4, min_qty: 0 });
  });

  it('is filtered by warehouse, product and variant', async () => {
    const shop = await newShop();
    const [a] = await shop.stocks();
    const variantId = a?.product_variant_id;
    expect(await shelves(shop, { warehouseId: shop.w1.id })).toEqual(['A@W1', 'B@W1', 'C@W1']);
    expect(await shelves(shop, { productId: shop.p })).toEqual(['A@W1', 'A@W2', 'B@W1']);
    expect(await shelves(shop, { variantId })).toEqual(['A@W1', 'A@W2']);
    expect(await shelves(shop, { variantId, warehouseId: shop.w2.id })).toEqual(['A@W2']);
    expect(await shelves(shop, { variantId, productId: shop.q })).toEqual([]);
    expect(await shelves(shop, { warehouseId: 0 })).toEqual([]);
  });

  it('has pages', async () => {
    const shop = await newShop();
    for (const filter of [{}, { warehouseId: shop.w1.id }]) {
      const all = await shelves(shop, filter);
      const pages = [0, 2, 4].map((offset) => shelves(shop, filter, { offset, limit: 2 }));
      expect((await Promise.all(pages)).flat()).toEqual(all);
    }
  });

  it('omits deleted warehouses and other apps', async () => {
    const [shop, other] = [await newShop(), await newShop()];
    await shop.add(pieces(-2, { warehouse_code: 'W2' }));
    await shop.given.warehouses.put(shop.id, [{ ...shop.w2, delete: true }]);
    expect(await shelves(shop)).toEqual(['A@W1', 'B@W1', 'C@W1']);
    expect(await shelves(other, { warehouseId: shop.w1.id })).toEqual([]);
  });
}

function sums({ it }: Runner, newShop: NewShop): void {
  it('have warehouses by code, not by id', async () => {
    const shop = await newShop();
    await shop.given.warehouses.add(shop.id, { ...address('A'), code: 'A', sellable: true });
    await shop.add(pieces(1, { warehouse_code: 'A' }));
    const [a] = await shop.aggregate({ code: 'A' });
    expect(a?.warehouses.map((each) => each.warehouse_code)).toEqual(['A', 'W1', 'W2']);
  });

  it('is sorted by variant id, with warehouses by code', async () => {
    const shop = await newShop();
    await shop.given.addProduct(shop.id, 'R', [{ code: 'D' }]);
    const [a, ...others] = await shop.aggregate();
    expect(a).toEqual({
      product_variant_id: expect.any(Number),
      code: 'A',
      on_hand: 6,
      reserved: 0,
      available: 4,
      warehouses: [
        { warehouse_code: 'W1', on_hand: 4, reserved: 0, available: 4 },
        { warehouse_code: 'W2', on_hand: 2, reserved: 0, available: 0 },
      ],
    });
    expect(others.map((each) => [each.code, each.on_hand, each.warehouses.length])).toEqual([
      ['B', 3, 1],
      ['C', 1, 1],
      ['D', 0, 0],
    ]);
  });

  it('is filtered by exact code, barcode and product, and paged', async () => {
    const shop = await newShop();
    const codes = async (...asked: Parameters<StockedShop['aggregate']>) =>
      (await shop.aggregate(...asked)).map(({ code }) => code);
    expect([await codes({ code: 'A' }), await codes({ code: 'a' })]).toEqual([['A'], []]);
    expect([await codes({ barcode: 'A' }), await codes({ productId: shop.p })]).toEqual([['C'], ['A', 'B']]);
    expect([await codes({}, { offset: 1, limit: 1 }), await codes({}, { offset: 3, limit: 9 })]).toEqual([['B'], []]);
  });

  it('omits deleted warehouses', async () => {
    const shop = await newShop();
    await shop.add(pieces(-2, { warehouse_code: 'W2' }));
    await shop.given.warehouses.put(shop.id, [{ ...shop.w2, delete: true }]);
    const [a] = await shop.aggregate({ code: 'A' });
    expect(a?.warehouses.map((each) => each.warehouse_code)).toEqual(['W1']);
  });
}

function movements({ it }: Runner, newShop: NewShop): void {
  it('are in booking order, whatever their ids', async () => {
    const shop = await newShop();
    const now = shop.given.now();
    shop.given.forward(-60);
    await shop.add(pieces(5));
    shop.given.forward(60);
    expect(await shop.lines()).toEqual([
      'adjust 5 A@W1',
      'adjust 4 A@W1',
      'adjust 3 B@W1',
      'adjust 1 C@W1',
      'adjust 2 A@W2',
    ]);
    expect((await shop.movements())[1]).toEqual({
      id: expect.any(Number),
      movement_id: expect.any(Number),
      kind: 'adjust',
      booked_at: seconds(now),
      warehouse_id: shop.w1.id,
      warehouse_code: 'W1',
      product_id: shop.p,
      product_variant_id: expect.any(Number),
      code: 'A',
      qty: 4,
      reference: null,
    });
  });

  it('are filtered by warehouse and product', async () => {
    const shop = await newShop();
    expect(await shop.lines({ warehouseId: shop.w2.id })).toEqual(['adjust 2 A@W2']);
    expect(await shop.lines({ productId: shop.q })).toEqual(['adjust 1 C@W1']);
    expect(await shop.lines({ productId: shop.q, warehouseId: shop.w2.id })).toEqual([]);
  });

  eachCase(it, [
    [0, 1, 4],
    [0, 0, 0],
    [1, 2, 0],
    [-1, 0, 0],
  ])('start at %d s and end before %d s: %d', async (from, before, count) => {
    const shop = await newShop();
    const at = (delta: number) => new Date(shop.given.now().getTime() + delta * 1_000);
    expect(await shop.lines({ from: at(from), before: at(before) })).toHaveLength(count);
  });

  it('stay when their warehouse is deleted, and belong to one app', async () => {
    const [shop, other] = [await newShop(), await newShop()];
    await shop.add(pieces(-2, { warehouse_code: 'W2' }));
    await shop.given.warehouses.put(shop.id, [{ ...shop.w2, delete: true }]);
    expect(await shop.lines({ warehouseId: shop.w2.id })).toEqual(['adjust 2 A@W2', 'adjust -2 A@W2']);
    expect(await other.lines({ warehouseId: shop.w2.id })).toEqual([]);
  });
}
