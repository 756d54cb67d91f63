import fc from 'fast-check';
import type { ProductDraft, VariantDraft } from './product-drafts.js';
import type { PlannedProduct } from './planner.js';
import { planProducts } from './product-plan.js';
import type { ProductWish, VariantWish } from './product-rows.js';

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
const change = (id: number, ...variants: readonly Partial<VariantWish>[]): ProductWish => ({
  id,
  images: [],
  variants: variants.map((each) => ({ ...each, images: [] })),
});
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

describe('a code that is borrowed and given back', () => {
  it('finds the product again that held it all the time', () => {
    const rows = [row(2, 'a'), row(2, 'd'), { code: 'a', price: 5, images: [], variants: [] }];
    const [, , last] = planProducts(rows, threeProducts(), () => 'x').outcomes;
    expect(last).toMatchObject({ product: { id: 1, code: 'a', price: 5 } });
  });
});

describe('a row that fails', () => {
  it('leaves the others what they would be without it', () => {
    fc.assert(
      fc.property(fc.array(productWish, { maxLength: 6 }), (rows) => {
        const outcomes = outcomesOf(rows);
        const others = rows.filter((_, index) => typeof outcomes[index] !== 'string');
        expect(outcomesOf(others)).toEqual(outcomes.filter((outcome) => typeof outcome !== 'string'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives a barcode back to the variant that had borrowed it', () => {
    const [a, b] = [product(1, 'a'), product(2, 'b')];
    const found = {
      products: [a, b],
      variants: [{ ...variant(1, a, 'u', '1'), external_ref: 'r' }, variant(2, b, 'v', '2'), variant(3, b, 'x', '3')],
    };
    const rows = [
      change(2, { code: 'v', barcode: '1' }),
      change(2, { code: 'x', external_ref: 'r' }, { code: '' }),
      change(2, { barcode: '1', name: 'n' }),
      change(1, { code: 'u', barcode: '9' }),
    ];
    const { outcomes } = planProducts(rows, found, () => 'x');
    expect(outcomes.map((outcome) => typeof outcome === 'string')).toEqual([false, true, false, false]);
  });
});

describe('a plan that is to be explained', () => {
  it('is the same plan', () => {
    fc.assert(
      fc.property(fc.array(productWish, { maxLength: 6 }), (rows) => {
        expect(outcomesOf(rows, { explains: true })).toEqual(outcomesOf(rows));
      }),
    );
  });

  it('says of each row how it was matched, also when it fails', () => {
    const rows = [row(2, 'a'), change(2, { code: 'v' })];
    const { explain } = planProducts(rows, threeProducts(), () => 'x', { explains: true });
    expect(explain?.().map((kinds) => kinds.length)).toEqual([1, 2]);
    expect(planProducts(rows, threeProducts(), () => 'x').explain).toBeUndefined();
  });
});

function outcomesOf(rows: readonly ProductWish[], options = {}): readonly unknown[] {
  return planProducts(rows, threeProducts(), () => 'x', options).outcomes;
}

function threeProducts() {
  const [a, b, c] = [product(1, 'a'), product(2, 'b'), product(3, 'c')];
  return { products: [a, b, c], variants: [variant(1, a, 'u', '1'), variant(2, b, 'v', '2')] };
}

/** What three products and two variants have become by the rows, and what has come to them. */
function after(rows: readonly ProductWish[]): { products: ProductDraft[]; variants: VariantDraft[] } {
  const found = threeProducts();
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
