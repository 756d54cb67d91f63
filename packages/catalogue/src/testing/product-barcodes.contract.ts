import type { Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { PlannedProduct } from '../index.js';
import { product, variant, type CatalogueShop } from './given-catalogue.js';

const TAKEN = 'API.Products.BarcodeAlreadyExists';

export function describeProductBarcodes({ it }: Runner, newShop: () => Promise<CatalogueShop>): void {
  it('stores the trimmed barcode of a product, keeps it when absent and clears a blank one', async () => {
    const shop = await newShop();
    const barcodeAfter = async (fields: object) => {
      await shop.upsertAll(product('A', fields));
      return (await shop.get('A')).barcode;
    };
    expect(await barcodeAfter({ barcode: ' 860 ' })).toBe('860');
    expect(await barcodeAfter({ name: 'B' })).toBe('860');
    expect(await barcodeAfter({ barcode: ' ' })).toBeNull();
    expect(await barcodeAfter({ barcode: '861' })).toBe('861');
    expect(await barcodeAfter({ barcode: null })).toBeNull();
  });

  it('refuses a barcode of another product, but not of a variant, and lets two products swap theirs', async () => {
    const [shop, otherShop] = [await newShop(), await newShop()];
    await otherShop.upsertAll(product('A', { barcode: '2' }));
    await shop.upsertAll(product('A', { barcode: '1' }), product('B', { barcode: '2' }));
    const rows = [product('C', { barcode: ' 2 ' }), product('A', { barcode: '2' }), product('D', { barcode: '4' })];
    expect(await shop.failureKeys(...rows, product('E', { barcode: '4' }))).toEqual([TAKEN, TAKEN, undefined, TAKEN]);
    await shop.upsertAll(product('A', { barcode: '2' }), product('B', { barcode: '1' }));
    expect([(await shop.get('A')).barcode, (await shop.get('B')).barcode]).toEqual(['2', '1']);
    await shop.upsertAll(product('C', { barcode: '8', variants: [variant('C-1', { barcode: '8' })] }));
    expect(await shop.get('C')).toMatchObject({ barcode: '8', variants: [{ barcode: '8' }] });
  });

  it('does not match rows with products by barcode', async () => {
    const shop = await newShop();
    await shop.upsertAll(product('A', { barcode: '1' }));
    expect(await shop.failureKeys({ barcode: '1', name: 'X', variants: [] })).toEqual(['API.Products.CodeCantBeBlank']);
    const [planned] = await shop.upsertAll(product('B', { variants: [variant('B-1', { barcode: '1' })] }));
    expect(planned?.created).toBe(true);
  });

  it('gives one barcode to one of several products in concurrent calls', async () => {
    const shop = await newShop();
    const failures = await Promise.all(
      ['A', 'B', 'C', 'D'].map((code) => shop.failureKeys(product(code, { barcode: '1' }))),
    );
    expect(failures.flat().filter((key) => key === TAKEN)).toHaveLength(3);
    expect(await shop.find('1', 'barcode')).toMatchObject({ barcode: '1' });
  });

  it('is found by its barcode after a variant with the same barcode', async () => {
    const shop = await newShop();
    const [a, b] = (await shop.upsertAll(
      product('A', { barcode: 'X-1', name: 'Ant' }),
      product('B', { name: 'Bee', variants: [variant('B-1', { barcode: 'x-1' })] }),
      product('C', { barcode: 'y', name: 'Cow' }),
    )) as [PlannedProduct, PlannedProduct];
    expect((await shop.get(' X-1 ', 'barcode')).id).toBe(b.product.id);
    expect((await shop.get('Y', 'barcode')).code).toBe('C');
    expect(await shop.listCodes({ lookUps: [{ by: 'barcode', value: 'x-1' }], priceFrom: '0' })).toEqual([]);
    expect(await shop.listCodes({ searchAll: 'x-1' })).toEqual(['A', 'B']);
    expect(await shop.listCodes({ searchAll: 'Y' })).toEqual(['C']);
    const rows = ['X-1', ' Y '].map((barcode) => ({ code: null, barcode }));
    const verifiedRows = await shop.fixture.productQueries.verify(shop.id, rows);
    expect(verifiedRows.map((row) => row.variant.record?.code ?? row.product?.record?.code)).toEqual(['B-1', 'C']);
    await shop.upsertAll(product('C', { barcode: '77' }), { id: a.product.id, barcode: null, variants: [] });
    expect(await shop.listCodes({ searchAll: 'x-1' })).toEqual(['B']);
    expect(await shop.listCodes({ searchAll: '77' })).toEqual(['C']);
  });
}
