import fc from 'fast-check';
import type { ProductDraft, VariantDraft } from './product-drafts.js';
import { planProducts, type PlannedProduct } from './product-plan.js';
import type { ProductWish } from './product-rows.js';

const blank = { external_ref: null, price: null, vatRate: null, touched: false };
const product = (id: number, code: string): ProductDraft => ({
  ...blank,
  id,
  code,
  slug: code,
  name: code,
  description: null,
  active: true,
  images: [],
});
const variant = (id: number, owner: ProductDraft, code: string, barcode: string): VariantDraft => ({
  ...blank,
  id,
  product: owner,
  code,
  barcode,
  name: null,
  images: [],
});

const maybe = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const variantWish = fc.record({
  code: maybe('u', 'v', 'w', 'u ', ''),
  barcode: maybe('1', '2', '3', null),
  external_ref: maybe('r', 's', null),
  images: fc.constant([]),
});
const productWish = fc.record({
  id: maybe(1, 2, 3, 4),
  code: maybe('a', 'b', 'c', 'd', 'e'),
  name: fc.constant('n'),
  slug: maybe('a', 'b', 'c', 'd'),
  images: fc.constant([]),
  variants: fc.array(variantWish, { maxLength: 3 }),
});

const row = (id: number, code?: string): ProductWish => ({ id, code, name: 'n', images: [], variants: [] });
/** Between the two rows that take `a` its holder shows up without giving it up. */
const takenTwice = [row(2, 'a'), row(1), row(3, 'a'), row(1, 'e')] as never;

describe('any rows in one call', () => {
  it('leave no code, barcode, reference or slug with two records', () => {
    fc.assert(
      fc.property(fc.array(productWish, { maxLength: 7 }), (rows) => {
        const { products, variants } = after(rows);
        for (const names of [
          ...(['code', 'slug'] as const).map((field) => products.map((each) => each[field])),
          ...(['code', 'barcode', 'external_ref'] as const).map((field) => variants.map((each) => each[field])),
        ]) {
          const held = names.filter((name) => name !== null);
          expect(new Set(held).size).toBe(held.length);
        }
      }),
      { numRuns: 1_000, examples: [[takenTwice]] },
    );
  });

  it('leave no new variant with a product that is not written', () => {
    fc.assert(
      fc.property(fc.array(productWish, { maxLength: 7 }), (rows) => {
        const { products, variants } = after(rows);
        for (const { id, product: owner } of variants) if (id === null) expect(products).toContain(owner);
      }),
    );
  });
});

/** What three products and two variants have become by the rows, and what has come to them. */
function after(rows: readonly ProductWish[]): { products: ProductDraft[]; variants: VariantDraft[] } {
  const [a, b, c] = [product(1, 'a'), product(2, 'b'), product(3, 'c')];
  const found = { products: [a, b, c], variants: [variant(1, a, 'u', '1'), variant(2, b, 'v', '2')] };
  let made = 0;
  const { outcomes } = planProducts(rows, found, () => `${(made += 1)}`);
  const planned = outcomes.filter((outcome): outcome is PlannedProduct => typeof outcome !== 'string');
  const written = new Map<unknown, ProductDraft | VariantDraft>();
  const keep = (draft: ProductDraft | VariantDraft) =>
    written.set(draft.id === null ? draft : `${'slug' in draft}${draft.id}`, draft);
  for (const each of [...found.products, ...found.variants]) keep(each);
  for (const { product: owner, variants } of planned)
    for (const each of [owner, ...variants.map((v) => v.variant)]) keep(each);
  const drafts = [...written.values()];
  return {
    products: drafts.filter((draft) => 'slug' in draft),
    variants: drafts.filter((draft): draft is VariantDraft => !('slug' in draft)),
  };
}

describe('10,000 rows', () => {
  it('that all take the code of the next one, and the last one a code that is kept, fail all', () => {
    const products = Array.from({ length: 10_001 }, (_, index) => product(index + 1, `c${index + 1}`));
    const rows = products.slice(1).map(({ id }, index) => row(index + 1, `c${id}`));
    const { outcomes } = planProducts(rows, { products, variants: [] }, () => 'x');
    expect(outcomes.every((outcome) => outcome === 'API.Products.CodeAlreadyExists')).toBe(true);
  });
});
