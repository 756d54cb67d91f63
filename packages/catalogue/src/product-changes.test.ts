import type { ProductDraft, VariantDraft } from './product-drafts.js';
import { productChanges } from './product-changes.js';
import { planProducts } from './product-plan.js';
import type { DesiredProduct } from './desired-product.js';

const SLUG_TOOLS = { asciiOf: (text: string) => text.toLowerCase(), randomSuffix: () => 'x' };
const image = { imageUrl: 'https://example.com/a.png', alt: null };

const product: ProductDraft = {
  id: 1,
  code: 'a',
  barcode: null,
  external_ref: null,
  slug: 'a',
  name: 'A',
  description: null,
  price: 5,
  vatRate: null,
  active: true,
  images: [],
  replacesImages: false,
  isChanged: false,
};
const variant: VariantDraft = {
  id: 2,
  product,
  code: 'u',
  barcode: null,
  external_ref: null,
  name: null,
  price: null,
  vatRate: null,
  images: [],
  replacesImages: false,
  isChanged: false,
};

function changesOf(...rows: readonly Partial<DesiredProduct>[]) {
  const foundProducts = { products: [product], variants: [variant] };
  const products = rows.map((row) => ({ images: [], replacesImages: false, variants: [], ...row }));
  const changes = productChanges(planProducts(products, foundProducts, SLUG_TOOLS).drafts, foundProducts);
  return {
    products: changes.products.map(({ code }) => code),
    variants: changes.variants.map(({ code }) => code),
    withImages: changes.withImages.map(({ code }) => code),
  };
}

describe('productChanges', () => {
  const unchangedRow = { code: 'a', name: 'A', variants: [{ code: 'u', images: [] }] };

  it.each<[string, Partial<DesiredProduct>, object]>([
    ['is empty when nothing differs', unchangedRow, { products: [], variants: [], withImages: [] }],
    ['has a changed product', { ...unchangedRow, price: 6 }, { products: ['a'], variants: [], withImages: [] }],
    [
      'has a changed variant and its product',
      { code: 'a', variants: [{ code: 'u', price: 1, images: [] }] },
      { products: ['a'], variants: ['u'], withImages: [] },
    ],
    [
      'has a new variant and its product',
      { code: 'a', variants: [{ code: 'v', images: [] }] },
      { products: ['a'], variants: ['v'], withImages: [] },
    ],
    [
      'has the product of a variant with a new image',
      { code: 'a', variants: [{ code: 'u', images: [image] }] },
      { products: ['a'], variants: [], withImages: ['u'] },
    ],
    ['has a new product', { code: 'n', name: 'N' }, { products: ['n'], variants: [], withImages: [] }],
    ['omits a failed product', { code: 'n' }, { products: [], variants: [], withImages: [] }],
  ])('%s', (_, row, expected) => {
    expect(changesOf(row)).toEqual(expected);
  });

  it('lists each record only once', () => {
    expect(changesOf({ code: 'a', price: 6 }, { code: 'a', price: 7 })).toMatchObject({ products: ['a'] });
    expect(changesOf({ code: 'a', price: 6 }, { code: 'a', price: 5 })).toMatchObject({ products: [] });
  });
});
