import type { Sorting } from '@back-office/kernel';
import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { addressOf, pieces, StockedShop, type StockFixture } from './given-stock.js';

type NewShop = () => Promise<StockedShop>;

export function stockQueriesContract(runner: Runner, open: () => Promise<StockFixture>): void {
  let fixture: StockFixture;
  runner.before(async () => {
    fixture = await open();
  });
  runner.after(() => fixture.close());
  const newShop = async (): Promise<StockedShop> => {
    const shop = await StockedShop.open(fixture);
    await shop.add(
      pieces(1, { code: 'C' }),
      pieces(2, { warehouse_code: 'W2', min_qty: 4 }),
      pieces(3, { code: 'B' }),
      pieces(4),
    );
    return shop;
  };

  runner.describe('the list of stock', () => describeList(runner, newShop));
  runner.describe('the stock by variant', () => describeAggregate(runner, newShop));
  runner.describe('the stock movements', () => describeMovements(runner, newShop));
}

const formatSeconds = (date: Date): string => date.toISOString().slice(0, 19);

function describeList({ it }: Runner, newShop: NewShop): void {
  const listShelves = async (shop: StockedShop, ...listArguments: Parameters<StockedShop['listStock']>) =>
    (await shop.listStock(...listArguments)).map((row) => `${row.code}@${row.warehouse_code}`);

  it('is sorted by product, variant and warehouse', async () => {
    const shop = await newShop();
    expect(await listShelves(shop)).toEqual(['A@W1', 'A@W2', 'B@W1', 'C@W1']);
    expect((await shop.listStock())[1]).toEqual({
      id: expect.any(Number),
      product_id: shop.productP,
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
      updated_at: formatSeconds(shop.fixture.now()),
    });
    expect((await shop.listStock())[0]).toMatchObject({ on_hand: 4, available: 4, min_qty: 0 });
  });

  it('is filtered by warehouse, product and variant', async () => {
    const shop = await newShop();
    const [a] = await shop.listStock();
    const variantId = a?.product_variant_id;
    expect(await listShelves(shop, { warehouseId: shop.w1.id })).toEqual(['A@W1', 'B@W1', 'C@W1']);
    expect(await listShelves(shop, { productId: shop.productP })).toEqual(['A@W1', 'A@W2', 'B@W1']);
    expect(await listShelves(shop, { variantId })).toEqual(['A@W1', 'A@W2']);
    expect(await listShelves(shop, { variantId, warehouseId: shop.w2.id })).toEqual(['A@W2']);
    expect(await listShelves(shop, { variantId, productId: shop.productQ })).toEqual([]);
    const atW1 = { warehouseId: shop.w1.id };
    expect(await listShelves(shop, { productId: shop.productP, ...atW1 })).toEqual(['A@W1', 'B@W1']);
    expect(await listShelves(shop, { productId: shop.productQ, ...atW1 })).toEqual(['C@W1']);
    expect(await listShelves(shop, { warehouseId: 0 })).toEqual([]);
  });

  it('is filtered by `updatedAfter` and sorted by `updated_at`', async () => {
    const shop = await newShop();
    const orderedBy = (direction: Sorting['direction']) =>
      listShelves(shop, {}, undefined, { field: 'updated_at', direction });
    shop.fixture.forward(1);
    const changedAt = shop.fixture.now();
    expect(await listShelves(shop, { updatedAfter: changedAt })).toEqual([]);
    await shop.add(pieces(1, { warehouse_code: 'W2' }));
    expect(await listShelves(shop, { updatedAfter: changedAt })).toEqual(['A@W2']);
    expect(await listShelves(shop, { updatedAfter: changedAt, warehouseId: shop.w1.id })).toEqual([]);
    expect(await listShelves(shop, { updatedAfter: changedAt, productId: shop.productQ })).toEqual([]);
    expect(await listShelves(shop, { updatedAfter: changedAt, productId: shop.productP })).toEqual(['A@W2']);
    expect((await orderedBy('desc'))[0]).toBe('A@W2');
    expect(await orderedBy('asc')).toEqual((await orderedBy('desc')).toReversed());
  });

  it('has the same rows in several pages as in one', async () => {
    const shop = await newShop();
    for (const filter of [{}, { warehouseId: shop.w1.id }]) {
      const allShelves = await listShelves(shop, filter);
      const pages = [0, 2, 4].map((offset) => listShelves(shop, filter, { offset, limit: 2 }));
      expect((await Promise.all(pages)).flat()).toEqual(allShelves);
    }
  });

  it('has the same rows when paged by position as when paged by offset', async () => {
    const shop = await newShop();
    const byChange = { field: 'updated_at', direction: 'desc' as const };
    for (const [filter, sorting] of [[{}], [{ warehouseId: shop.w1.id }], [{}, byChange]] as const) {
      expect(await shop.listStockByPosition(filter, sorting)).toEqual(await shop.listStock(filter, undefined, sorting));
    }
  });

  it('omits deleted warehouses and stock of other apps', async () => {
    const [shop, otherShop] = [await newShop(), await newShop()];
    await shop.add(pieces(-2, { warehouse_code: 'W2' }));
    await shop.fixture.warehouses.put(shop.id, [{ ...shop.w2, delete: true }]);
    expect(await listShelves(shop)).toEqual(['A@W1', 'B@W1', 'C@W1']);
    expect(await listShelves(otherShop, { warehouseId: shop.w1.id })).toEqual([]);
  });
}

function describeAggregate({ it }: Runner, newShop: NewShop): void {
  it('lists the warehouses of a variant in the order of their codes, not of their ids', async () => {
    const shop = await newShop();
    await shop.fixture.warehouses.add(shop.id, { ...addressOf('A'), code: 'A', sellable: true });
    await shop.add(pieces(1, { warehouse_code: 'A' }));
    const [a] = await shop.aggregate({ code: 'A' });
    expect(a?.warehouses.map((stock) => stock.warehouse_code)).toEqual(['A', 'W1', 'W2']);
  });

  it('is sorted by variant id, with warehouses by code', async () => {
    const shop = await newShop();
    await shop.fixture.addProduct(shop.id, 'R', [{ code: 'D' }]);
    const [a, ...otherSums] = await shop.aggregate();
    expect(a).toEqual({
      product_id: shop.productP,
      product_variant_id: expect.any(Number),
      code: 'A',
      on_hand: 6,
      reserved: 0,
      available: 4,
      warehouses: [
        { warehouse_id: shop.w1.id, warehouse_code: 'W1', on_hand: 4, reserved: 0, available: 4 },
        { warehouse_id: shop.w2.id, warehouse_code: 'W2', on_hand: 2, reserved: 0, available: 0 },
      ],
    });
    expect(otherSums.map((sums) => [sums.code, sums.on_hand, sums.warehouses.length])).toEqual([
      ['B', 3, 1],
      ['C', 1, 1],
      ['D', 0, 0],
    ]);
  });

  it('is paged and filtered by exact code, barcode and product', async () => {
    const shop = await newShop();
    const listCodes = async (...listArguments: Parameters<StockedShop['aggregate']>) =>
      (await shop.aggregate(...listArguments)).map(({ code }) => code);
    expect([await listCodes({ code: 'A' }), await listCodes({ code: 'a' })]).toEqual([['A'], []]);
    expect([await listCodes({ barcode: 'A' }), await listCodes({ productId: shop.productP })]).toEqual([
      ['C'],
      ['A', 'B'],
    ]);
    expect([await listCodes({}, { offset: 1, limit: 1 }), await listCodes({}, { offset: 3, limit: 9 })]).toEqual([
      ['B'],
      [],
    ]);
  });

  it('is filtered by variant and by warehouse, whose stock alone it then sums', async () => {
    const shop = await newShop();
    const [a, b] = await shop.aggregate();
    expect(await shop.aggregate({ variantId: b?.product_variant_id })).toEqual([b]);
    const inW2 = a?.warehouses.filter((stock) => stock.warehouse_code === 'W2');
    expect(await shop.aggregate({ warehouseId: shop.w2.id })).toEqual([
      { ...a, on_hand: 2, available: 0, warehouses: inW2 },
    ]);
    expect(await shop.aggregate({ warehouseId: 0 })).toEqual([]);
    await shop.add(pieces(-2, { warehouse_code: 'W2' }));
    await shop.fixture.warehouses.put(shop.id, [{ ...shop.w2, delete: true }]);
    expect(await shop.aggregate({ warehouseId: shop.w2.id })).toEqual([]);
  });

  it('omits deleted warehouses', async () => {
    const shop = await newShop();
    await shop.add(pieces(-2, { warehouse_code: 'W2' }));
    await shop.fixture.warehouses.put(shop.id, [{ ...shop.w2, delete: true }]);
    const [a] = await shop.aggregate({ code: 'A' });
    expect(a?.warehouses.map((stock) => stock.warehouse_code)).toEqual(['W1']);
  });
}

function describeMovements({ it }: Runner, newShop: NewShop): void {
  it('are sorted by the order of booking, not of their ids', async () => {
    const shop = await newShop();
    const now = shop.fixture.now();
    shop.fixture.forward(-60);
    await shop.add(pieces(5));
    shop.fixture.forward(60);
    expect(await shop.formatMovements()).toEqual([
      'adjust 5 A@W1',
      'adjust 4 A@W1',
      'adjust 3 B@W1',
      'adjust 1 C@W1',
      'adjust 2 A@W2',
    ]);
    expect((await shop.listMovements())[1]).toEqual({
      id: expect.any(Number),
      movement_id: expect.any(Number),
      kind: 'adjust',
      booked_at: formatSeconds(now),
      warehouse_id: shop.w1.id,
      warehouse_code: 'W1',
      product_id: shop.productP,
      product_variant_id: expect.any(Number),
      code: 'A',
      qty: 4,
      reference: null,
    });
  });

  it('are filtered by warehouse and product', async () => {
    const shop = await newShop();
    expect(await shop.formatMovements({ warehouseId: shop.w2.id })).toEqual(['adjust 2 A@W2']);
    expect(await shop.formatMovements({ productId: shop.productQ })).toEqual(['adjust 1 C@W1']);
    expect(await shop.formatMovements({ productId: shop.productQ, warehouseId: shop.w2.id })).toEqual([]);
  });

  eachCase(it, [
    [0, 1, 4],
    [0, 0, 0],
    [1, 2, 0],
    [-1, 0, 0],
  ])('from %d s up to before %d s have %d lines', async (fromSeconds, beforeSeconds, count) => {
    const shop = await newShop();
    const timeAfter = (delta: number) => new Date(shop.fixture.now().getTime() + delta * 1_000);
    expect(await shop.formatMovements({ from: timeAfter(fromSeconds), before: timeAfter(beforeSeconds) })).toHaveLength(
      count,
    );
  });

  it('are kept after their warehouse is deleted', async () => {
    const [shop, otherShop] = [await newShop(), await newShop()];
    await shop.add(pieces(-2, { warehouse_code: 'W2' }));
    await shop.fixture.warehouses.put(shop.id, [{ ...shop.w2, delete: true }]);
    expect(await shop.formatMovements({ warehouseId: shop.w2.id })).toEqual(['adjust 2 A@W2', 'adjust -2 A@W2']);
    expect(await otherShop.formatMovements({ warehouseId: shop.w2.id })).toEqual([]);
  });
}
