import fc from 'fast-check';
import type { ProductDraft, VariantDraft } from './product-drafts.js';
import type { PlannedProduct } from './planner.js';
import { planProducts } from './product-plan.js';
import type { DesiredProduct, DesiredVariant } from './desired-product.js';
import type { SlugTools } from './slug.js';

const SLUG_TOOLS: SlugTools = { asciiOf: (text) => text.toLowerCase(), randomEnd: () => 'x' };

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
const desiredVariant = fc.record({
  code: maybe('u', 'v', 'w', 'u ', ''),
  barcode: maybe('1', '2', '3', null),
  external_ref: maybe('r', 's', null),
  images: fc.constant([]),
});
const desiredProduct = fc.record({
  id: maybe(1, 2, 3, 4),
  code: maybe('a', 'b', 'c', 'd', 'e'),
  name: fc.constant('n'),
  slug: maybe('a', 'b', 'c', 'd'),
  images: fc.constant([]),
  variants: fc.array(desiredVariant, { maxLength: 3 }),
});

const row = (id: number, code?: string): DesiredProduct => ({ id, code, name: 'n', images: [], variants: [] });
const change = (id: number, ...variants: readonly Partial<DesiredVariant>[]): DesiredProduct => ({
  id,
  images: [],
  variants: variants.map((each) => ({ ...each, images: [] })),
});
/** The holder of `a` appears between the two rows that take it, and gives it up later. */
const takenTwice = [row(2, 'a'), row(1), row(3, 'a'), row(1, 'e')] as never;

describe('planProducts with any rows', () => {
  it('keeps codes, barcodes, references and slugs unique', () => {
    fc.assert(
      fc.property(fc.array(desiredProduct, { maxLength: 7 }), (rows) => {
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

  it('never adds a variant to a product that is not written', () => {
    fc.assert(
      fc.property(fc.array(desiredProduct, { maxLength: 7 }), (rows) => {
        const { products, variants } = after(rows);
        for (const { id, product: owner } of variants) if (id === null) expect(products).toContain(owner);
      }),
    );
  });
});

describe('a borrowed code that is returned', () => {
  it('finds its holder again', () => {
    const rows = [row(2, 'a'), row(2, 'd'), { code: 'a', price: 5, images: [], variants: [] }];
    const [, , last] = planProducts(rows, threeProducts(), SLUG_TOOLS).outcomes;
    expect(last).toMatchObject({ product: { id: 1, code: 'a', price: 5 } });
  });
});

describe('a failed row', () => {
  it('has no effect on the other rows', () => {
    fc.assert(
      fc.property(fc.array(desiredProduct, { maxLength: 6 }), (rows) => {
        const outcomes = outcomesOf(rows);
        const others = rows.filter((_, index) => typeof outcomes[index] !== 'string');
        expect(outcomesOf(others)).toEqual(outcomes.filter((outcome) => typeof outcome !== 'string'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns a barcode to the variant that had borrowed it', () => {
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
    const { outcomes } = planProducts(rows, found, SLUG_TOOLS);
    expect(outcomes.map((outcome) => typeof outcome === 'string')).toEqual([false, true, false, false]);
  });
});

describe('a plan with explanations', () => {
  it('equals the plan without', () => {
    fc.assert(
      fc.property(fc.array(desiredProduct, { maxLength: 6 }), (rows) => {
        expect(outcomesOf(rows, { explains: true })).toEqual(outcomesOf(rows));
      }),
    );
  });

  it('explains each row, also failed ones', () => {
    const rows = [row(2, 'a'), change(2, { code: 'v' })];
    const { explain } = planProducts(rows, threeProducts(), SLUG_TOOLS, { explains: true });
    expect(explain?.().map((kinds) => kinds.length)).toEqual([1, 2]);
    expect(planProducts(rows, threeProducts(), SLUG_TOOLS).explain()).toEqual(rows.map(() => []));
  });
});

function outcomesOf(rows: readonly DesiredProduct[], options = {}): readonly unknown[] {
  return planProducts(rows, threeProducts(), SLUG_TOOLS, options).outcomes;
}

function threeProducts() {
  const [a, b, c] = [product(1, 'a'), product(2, 'b'), product(3, 'c')];
  return { products: [a, b, c], variants: [variant(1, a, 'u', '1'), variant(2, b, 'v', '2')] };
}

/** Three products and two variants after the rows, with new records. */
function after(rows: readonly DesiredProduct[]): { products: ProductDraft[]; variants: VariantDraft[] } {
  const found = threeProducts();
  let made = 0;
  const { outcomes } = planProducts(rows, found, { ...SLUG_TOOLS, randomEnd: () => `${(made += 1)}` });
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
  it('all fail when each takes the next code and the last one is kept', () => {
    const products = Array.from({ length: 10_001 }, (_, index) => product(index + 1, `c${index + 1}`));
    const rows = products.slice(1).map(({ id }, index) => row(index + 1, `c${id}`));
    const { outcomes } = planProducts(rows, { products, variants: [] }, SLUG_TOOLS);
    expect(outcomes.every((outcome) => outcome === 'API.Products.CodeAlreadyExists')).toBe(true);
  });
});
