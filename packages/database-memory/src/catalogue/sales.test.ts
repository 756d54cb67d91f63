import { State } from '../state.js';
import { offeredVariants } from './offered-variants.js';
import { MemoryProducts } from './memory-products.js';
import { countSold, subtractSold } from './sales.js';

const NOW = new Date('2026-11-21T10:00:00Z');
const APP = { id: 1, currency: 'RSD', settings: { media: { prefix: 'abcdefgh' } } };
const MEDIA = 'http://localhost/media';

async function makeShop(images: readonly string[] = []): Promise<State> {
  const state = new State();
  const options = { publicBase: () => MEDIA, currencyOf: () => 'RSD' };
  const products = new MemoryProducts(state, { now: () => NOW }, options);
  const productImages = images.map((imageUrl) => ({ imageUrl, alt: null }));
  const variants = [
    { code: 'A', images: productImages },
    { code: 'B', price: 7, vatRate: 1_000, images: [] },
  ];
  const row = { code: 'P', name: 'Name', price: 5, vatRate: 2_000, images: productImages, variants };
  await products.upsert(APP, [row]);
  return state;
}

describe('sold pieces', () => {
  it('are counted per product and can be subtracted', async () => {
    const state = await makeShop();
    const soldItems = [
      { productId: 1, qty: 2 },
      { productId: 1, qty: 3 },
    ];
    countSold(state, 1, soldItems);
    subtractSold(state, 1, [{ productId: 1, qty: 1 }]);
    expect(state.productSales.all(1)).toEqual([{ id: 1, quantity: 4 }]);
    expect(() => subtractSold(state, 1, soldItems)).toThrow('less than nothing');
  });

  it('are not subtracted from a product without sales', async () => {
    const state = await makeShop();
    subtractSold(state, 1, [{ productId: 1, qty: 1 }]);
    expect(state.productSales.all(1)).toEqual([]);
  });
});

describe('variants with the fields of their product', () => {
  it('have the value of the product where they have none', async () => {
    const state = await makeShop();
    const sharedFields = { productId: 1, barcode: null, external_ref: null, name: 'Name', active: true };
    expect(offeredVariants(state, 1, () => true)).toEqual([
      { ...sharedFields, id: 1, code: 'A', price: 5, vatRate: 2_000 },
      { ...sharedFields, id: 2, code: 'B', price: 7, vatRate: 1_000 },
    ]);
    expect(offeredVariants(state, 1, ({ code }) => code === 'B')).toHaveLength(1);
    expect(offeredVariants(state, 2, () => true)).toEqual([]);
  });
});

describe('images of products', () => {
  it('are recorded as usages of library files', async () => {
    const state = await makeShop([`${MEDIA}/abcdefgh/a.png`, 'https://elsewhere.example/a.png']);
    const usageFields = { key: 'abcdefgh/a.png', field: 'images', label: null, url: `${MEDIA}/abcdefgh/a.png` };
    expect(state.usages.all(1)).toEqual([
      { ...usageFields, id: 1, entity_type: 'product', entity_id: '1', inserted_at: NOW },
      { ...usageFields, id: 2, entity_type: 'product_variant', entity_id: '1', inserted_at: NOW },
    ]);
  });
});
