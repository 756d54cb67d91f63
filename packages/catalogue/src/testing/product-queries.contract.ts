import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { ProductFilter } from '../index.js';
import { product, CatalogueShop, variant, type CatalogueFixture } from './given-catalogue.js';
import { describeSearches } from './product-search.contract.js';

type NewShop = () => Promise<CatalogueShop>;

export function productQueriesContract(runner: Runner, open: () => Promise<CatalogueFixture>): void {
  let fixture: CatalogueFixture;
  runner.before(async () => {
    fixture = await open();
  });
  runner.after(() => fixture.close());
  const newShop = async () => new CatalogueShop(fixture, await fixture.makeApp());

  runner.describe('a look-up of a product', () => describeLookUps(runner, newShop));
  runner.describe('a list of products', () => {
    describeOrders(runner, newShop);
    describeFilters(runner, newShop);
    describeSearches(runner, newShop);
  });
  runner.describe('verified codes', () => describeVerification(runner, newShop));
}

function describeLookUps({ it }: Runner, newShop: NewShop): void {
  it('finds the product by code, barcode, slug and id', async () => {
    const shop = await newShop();
    const [plannedProduct] = await shop.upsertAll(
      product('A', { slug: 's', variants: [variant('A-1', { barcode: '860' })] }),
      product('B'),
    );
    const shownProduct = await shop.get('A');
    expect(shownProduct.id).toBe(plannedProduct?.product.id);
    const lookUpPromises = [
      shop.get('A-1'),
      shop.get('860', 'barcode'),
      shop.get('s', 'slug'),
      shop.get(`${shownProduct.id}`, 'id'),
    ];
    expect(await Promise.all(lookUpPromises)).toEqual([shownProduct, shownProduct, shownProduct, shownProduct]);
  });

  it('ignores case and spaces of codes and barcodes, but not of slugs', async () => {
    const shop = await newShop();
    await shop.upsertAll(product(' Ципела ', { slug: 's', variants: [variant('Š-1', { barcode: 'B-İ' })] }));
    const { id } = await shop.get('ЦИПЕЛА');
    expect([(await shop.get(' š-1 ')).id, (await shop.get(' b-i ', 'barcode')).id]).toEqual([id, id]);
    const missedLookUps = [shop.find('S', 'slug'), shop.find(' s', 'slug'), shop.find('86', 'barcode'), shop.find('%')];
    expect(await Promise.all(missedLookUps)).toEqual(Array.from({ length: 4 }));
  });

  it('prefers an exact code to one in another case, and a product to a variant', async () => {
    const shop = await newShop();
    const productWithVariants = product('C', { variants: [variant('A'), variant('b', { barcode: 'x' })] });
    const [a, b, c, d] = await shop.upsertAll(
      product('a'),
      product('B'),
      productWithVariants,
      product('D', { variants: [variant('D-1', { barcode: 'X' })] }),
    );
    const idOf = async (value: string, by?: 'barcode') => (await shop.get(value, by)).id;
    expect([await idOf('a'), await idOf('A'), await idOf('b'), await idOf('B')]).toEqual(
      [a, c, c, b].map((plannedProduct) => plannedProduct?.product.id),
    );
    expect([await idOf('x', 'barcode'), await idOf('X', 'barcode')]).toEqual([c?.product.id, d?.product.id]);
  });

  it('finds no product of another app', async () => {
    const [shop, otherShop] = [await newShop(), await newShop()];
    const [plannedProduct] = await shop.upsertAll(product('A'));
    expect([await otherShop.find('A'), await otherShop.find(`${plannedProduct?.product.id}`, 'id')]).toEqual([
      undefined,
      undefined,
    ]);
  });
}

function describeOrders({ it }: Runner, newShop: NewShop): void {
  const openSortedShop = async () => {
    const shop = await newShop();
    const variants = [variant('A-1', { price: 500 }), variant('A-2', { price: 5_000 })];
    await shop.upsertAll(
      product('C', { name: 'Beta', price: 3_000 }),
      product('A', { name: 'alpha', price: 2_000, variants }),
      product('B', { name: 'Béta', price: 1_000 }),
      product('D', { name: 'Gamma' }),
    );
    shop.fixture.forward(1);
    await shop.upsertAll(product('E', { name: 'Delta', price: 1_000 }));
    return shop;
  };

  eachCase(it, [
    ['', ['A', 'C', 'B', 'E', 'D']],
    ['name desc', ['D', 'E', 'C', 'B', 'A']],
    ['price', ['A', 'B', 'E', 'C', 'D']],
    ['price desc', ['C', 'B', 'E', 'A', 'D']],
    ['inserted_at desc', ['E', 'C', 'A', 'B', 'D']],
    ['sales_quantity desc', ['C', 'A', 'B', 'D', 'E']],
    ['name desc,price', ['D', 'E', 'B', 'C', 'A']],
    ['price, name', ['A', 'C', 'B', 'E', 'D']],
    ['price DESC', ['A', 'C', 'B', 'E', 'D']],
    ['constructor', ['A', 'C', 'B', 'E', 'D']],
    [`${'name,'.repeat(40)}price desc`, ['A', 'C', 'B', 'E', 'D']],
  ] as [string, string[]][])('sorted by "%s" returns %j', async (orderBy, expected) => {
    const shop = await openSortedShop();
    expect(await shop.listCodes({}, { orderBy })).toEqual(expected);
    expect(await shop.listCodesByPosition(orderBy)).toEqual(expected);
  });

  it('sorts names by code points', async () => {
    const shop = await newShop();
    await shop.upsertAll(...['😀', '％ x', 'b', 'a b', 'a'].map((name, index) => product(`${index}`, { name })));
    expect(await shop.listCodes()).toEqual(['4', '3', '2', '1', '0']);
  });

  it('contains each product once, whatever the page size', async () => {
    const shop = await newShop();
    await shop.upsertAll(...Array.from({ length: 7 }, (_, index) => product(`P${index}`, { name: 'same' })));
    const pages = await Promise.all([0, 3, 6, 9].map((offset) => shop.listCodes({}, { offset, limit: 3 })));
    expect(pages).toEqual([['P0', 'P1', 'P2'], ['P3', 'P4', 'P5'], ['P6'], []]);
  });
}

function describeFilters({ it }: Runner, newShop: NewShop): void {
  const openPricedShop = async () => {
    const shop = await newShop();
    await shop.upsertAll(
      product('A', { price: 999 }),
      product('B', { price: 1_000 }),
      product('C', { price: 1_001 }),
      product('N'),
    );
    await shop.fixture.addStock(shop.id, 'A-1', 5, false);
    await shop.fixture.addStock(shop.id, 'B-1', 1, true);
    await shop.fixture.addStock(shop.id, 'C-1', 0, true);
    return shop;
  };

  eachCase(it, [
    [{ priceFrom: '10' }, ['B', 'C']],
    [{ priceTo: '10' }, ['A', 'B']],
    [{ priceFrom: '9.99', priceTo: '10.01' }, ['A', 'B', 'C']],
    [{ priceFrom: '9.991', priceTo: '10.009' }, ['B']],
    [{ priceFrom: '9.990000000' }, ['A', 'B', 'C']],
    [{ priceFrom: '9999999999999' }, []],
    [{ onlyOnStock: true }, ['B']],
    [{ lookUps: [{ by: 'code', value: 'a' }], priceTo: '20' }, ['A']],
    [
      {
        lookUps: [
          { by: 'code', value: 'a' },
          { by: 'slug', value: 'b' },
        ],
      },
      [],
    ],
    [
      {
        lookUps: [
          { by: 'code', value: 'a' },
          { by: 'slug', value: 'a' },
        ],
      },
      ['A'],
    ],
  ] as [Partial<ProductFilter>, string[]][])('filtered by %j returns %j', async (filter, expected) => {
    expect(await (await openPricedShop()).listCodes(filter)).toEqual(expected);
  });

  eachCase(it, [
    [{ priceFrom: '40', priceTo: '60' }, ['TEE']],
    [{ priceFrom: '60' }, ['BAG', 'TEE']],
    [{ priceFrom: '15', priceTo: '25' }, ['TEE']],
    [{ priceFrom: '21', priceTo: '49' }, ['CAP']],
    [{ priceTo: '29' }, ['TEE']],
    [{ priceFrom: '101' }, ['BAG']],
    [{ priceFrom: '301' }, []],
  ] as [Partial<ProductFilter>, string[]][])(
    'filtered by %j has the products with a variant in the range: %j',
    async (filter, expected) => {
      const shop = await newShop();
      const prices = { TEE: [2_000, 5_000, 10_000], BAG: [20_000, null], CAP: [null, 3_000] };
      await shop.upsertAll(
        ...Object.entries(prices).map(([code, variantPrices]) =>
          product(code, {
            price: code === 'BAG' ? 30_000 : 3_100,
            variants: variantPrices.map((price, index) => variant(`${code}-${index}`, { price })),
          }),
        ),
        product('NONE', { price: null }),
      );
      expect(await shop.listCodes(filter)).toEqual(expected);
    },
  );

  it('filtered by `updatedAfter` includes products whose variants changed later', async () => {
    const shop = await newShop();
    await shop.upsertAll(product('A'), product('B'), product('C'));
    shop.fixture.forward(1);
    await shop.upsertAll(product('C', { variants: [variant('C-1', { barcode: '860' })] }), product('A'));
    const updatedAfter = new Date(`${(await shop.get('C')).updated_at}Z`);
    expect(await shop.listCodes({ updatedAfter })).toEqual(['C']);
    shop.fixture.forward(1);
    await shop.upsertAll(product('B', { variants: [variant('B-2')] }));
    expect(await shop.listCodes({ updatedAfter }, { orderBy: 'updated_at desc' })).toEqual(['B', 'C']);
  });

  it('filtered by stock counts only available pieces in sellable warehouses', async () => {
    const shop = await openPricedShop();
    await shop.fixture.addStock(shop.id, 'A-1', 7, true);
    expect((await shop.get('A')).variants).toMatchObject([{ stock: { on_hand: 12, reserved: 0, available: 7 } }]);
  });
}

function describeVerification({ it }: Runner, newShop: NewShop): void {
  const openShop = async () => {
    const shop = await newShop();
    const variants = [variant('A-š', { barcode: 'x860-A' }), variant('B', { barcode: 'x860-B' })];
    await shop.upsertAll(
      product('P', { variants }),
      product('Q', { variants: [variant('C', { barcode: 'B' })] }),
      product('Solo', { variants: [] }),
      product(' Ципела\t', { variants: [] }),
    );
    return shop;
  };

  eachCase(it, [
    [{ code: 'B', barcode: 'x860-A' }, 'B'],
    [{ code: null, barcode: 'B' }, 'C'],
    [{ code: 'none', barcode: ' X860-a ' }, 'A-š'],
    [{ code: ' a-Š ', barcode: null }, 'A-š'],
    [{ code: '\t\u00a0b\n', barcode: null }, 'B'],
    [{ code: 'Solo', barcode: 'x860-A' }, 'A-š'],
    [{ code: ' SOLO', barcode: 'none' }, 'product Solo'],
    [{ code: 'ципела\t', barcode: null }, 'product  Ципела\t'],
    [{ code: 'P', barcode: null }, 'product P'],
    [{ code: 'Sol', barcode: '' }, 'nothing'],
    [{ code: null, barcode: 'Solo' }, 'nothing'],
  ] as [{ code: string | null; barcode: string | null }, string][])('match %j with %s', async (row, expected) => {
    const shop = await openShop();
    const [verifiedRow] = await shop.fixture.productQueries.verify(shop.id, [row]);
    const { variant: variantMatch, product: productMatch } = verifiedRow ?? {};
    expect(
      variantMatch?.record?.code ?? (productMatch?.record ? `product ${productMatch.record.code}` : 'nothing'),
    ).toBe(expected);
  });

  it('are returned in input order; among codes that differ only in case, an exact match wins, then the oldest variant', async () => {
    const shop = await openShop();
    await shop.upsertAll(product('V', { variants: ['kod', 'KOD', 'Kod'].map((code) => variant(code)) }));
    const rows = ['KOD', 'Kod ', 'kOD'].map((code) => ({ code, barcode: null }));
    const verifiedRows = await shop.fixture.productQueries.verify(shop.id, rows);
    expect(verifiedRows.map((verifiedRow) => verifiedRow.variant.record?.code)).toEqual(['KOD', 'Kod', 'kod']);
    expect(await shop.fixture.productQueries.verify(shop.id, [])).toEqual([]);
  });
}
