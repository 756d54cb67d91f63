import fc from 'fast-check';
import type { ProductDraft, VariantDraft } from './product-drafts.js';
import type { PlannedProduct } from './planner.js';
import { planProducts } from './product-plan.js';
import type { DesiredProduct, DesiredVariant } from './desired-product.js';
import type { SlugTools } from './slug.js';

const SLUG_TOOLS: SlugTools = { asciiOf: (text) => text.toLowerCase(), randomSuffix: () => 'x' };

const emptyFields = { external_ref: null, price: null, vatRate: null, isChanged: false };
const product = (id: number, code: string): ProductDraft => ({
  ...emptyFields,
  barcode: null,
  id,
  code,
  slug: code,
  name: code,
  description: null,
  active: true,
  images: [],
  replacesImages: false,
});
const variant = (id: number, owner: ProductDraft, code: string, barcode: string): VariantDraft => ({
  ...emptyFields,
  id,
  product: owner,
  code,
  barcode,
  name: null,
  images: [],
  replacesImages: false,
});

const optional = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
const desiredVariant = fc.record({
  code: optional('u', 'v', 'w', 'u ', ''),
  barcode: optional('1', '2', '3', null),
  external_ref: optional('r', 's', null),
  images: fc.constant([]),
});
const desiredProduct = fc.record({
  id: optional(1, 2, 3, 4),
  code: optional('a', 'b', 'c', 'd', 'e'),
  barcode: optional('1', '2', ' 2', null),
  name: fc.constant('n'),
  slug: optional('a', 'b', 'c', 'd'),
  images: fc.constant([]),
  variants: fc.array(desiredVariant, { maxLength: 3 }),
});

const productRow = (id: number, code?: string): DesiredProduct => ({ id, code, name: 'n', images: [], variants: [] });
const variantRow = (id: number, ...variants: readonly Partial<DesiredVariant>[]): DesiredProduct => ({
  id,
  images: [],
  variants: variants.map((variantFields) => ({ ...variantFields, images: [] })),
});
/** Rows 0 and 2 take code `a` before the last row renames the product that has it. */
const rowsTakingOneCode = [productRow(2, 'a'), productRow(1), productRow(3, 'a'), productRow(1, 'e')] as never;

describe('planProducts', () => {
  it('keeps codes, barcodes, references and slugs unique', () => {
    fc.assert(
      fc.property(fc.array(desiredProduct, { maxLength: 7 }), (rows) => {
        const { products, variants } = recordsAfter(rows);
        for (const names of [
          ...(['code', 'barcode', 'slug'] as const).map((field) => products.map((record) => record[field])),
          ...(['code', 'barcode', 'external_ref'] as const).map((field) => variants.map((record) => record[field])),
        ]) {
          const setNames = names.filter((name) => name !== null);
          expect(new Set(setNames).size).toBe(setNames.length);
        }
      }),
      { numRuns: 1_000, examples: [[rowsTakingOneCode]] },
    );
  });

  it('adds variants only to products that the plan writes', () => {
    fc.assert(
      fc.property(fc.array(desiredProduct, { maxLength: 7 }), (rows) => {
        const { products, variants } = recordsAfter(rows);
        for (const { id, product: owner } of variants) if (id === null) expect(products).toContain(owner);
      }),
    );
  });
});

describe('a code that a row moves to another product, and that a later row makes free again', () => {
  it('matches its original product in the rows after that', () => {
    const rows = [productRow(2, 'a'), productRow(2, 'd'), { code: 'a', price: 5, images: [], variants: [] }];
    const [, , lastOutcome] = planProducts(rows, threeProducts(), SLUG_TOOLS).outcomes;
    expect(lastOutcome).toMatchObject({ product: { id: 1, code: 'a', price: 5 } });
  });
});

describe('variants of one call with different codes', () => {
  const planRows = (...rows: readonly DesiredProduct[]) => {
    const a = product(1, 'a');
    const found = { products: [a, product(2, 'b')], variants: [{ ...variant(1, a, 'u', '1'), external_ref: 'r' }] };
    const { outcomes, failedVariants } = planProducts(rows, found, SLUG_TOOLS);
    const keys = outcomes.map((outcome) =>
      typeof outcome === 'string'
        ? outcome
        : outcome.variants.map(({ variant: { code }, matchedBy }) => [code, matchedBy]),
    );
    return { keys, failedVariants: [...failedVariants] };
  };
  const taken = { barcode: 'API.Products.BarcodeAlreadyExists', ref: 'API.Products.ExternalRefAlreadyExists' };

  it('never become one by their barcode or reference', () => {
    const [s, m] = [
      { code: 's', barcode: '0' },
      { code: 'm', barcode: '0' },
    ];
    expect(planRows(variantRow(1, s, m))).toEqual({ keys: [taken.barcode], failedVariants: [[0, 1]] });
    expect(planRows(variantRow(1, s), variantRow(2, { code: 'x' }, m), variantRow(1, { code: 's' })).keys).toEqual([
      [['s', null]],
      taken.barcode,
      [['s', 'code']],
    ]);
    const [t, n] = [
      { code: 't', external_ref: 'r' },
      { code: 'n', external_ref: 'r' },
    ];
    expect(planRows(variantRow(1, t), variantRow(1, n)).keys).toEqual([[['t', 'external_ref']], taken.ref]);
    expect(planRows(variantRow(1, { code: 'u' }), variantRow(1, { code: 'm', barcode: '1' })).keys).toEqual([
      [['u', 'code']],
      taken.barcode,
    ]);
  });

  it('change the code of a stored variant, and match rows without a code', () => {
    expect(planRows(variantRow(1, { code: 'm', barcode: '1' }, { barcode: '1' }, { external_ref: 'r' })).keys).toEqual([
      [
        ['m', 'barcode'],
        ['m', 'barcode'],
        ['m', 'external_ref'],
      ],
    ]);
  });

  it('are free again after a refused row', () => {
    const refusedRow = variantRow(1, { code: 's', barcode: '1' }, { code: '' });
    expect(planRows(refusedRow, variantRow(1, { code: 'm', barcode: '1' })).keys).toEqual([
      'API.Products.CodeCantBeBlank',
      [['m', 'barcode']],
    ]);
  });
});

describe('a row that planProducts refuses', () => {
  it('has no effect on the other rows', () => {
    fc.assert(
      fc.property(fc.array(desiredProduct, { maxLength: 6 }), (rows) => {
        const outcomes = outcomesOf(rows);
        const successfulRows = rows.filter((_, index) => typeof outcomes[index] !== 'string');
        expect(outcomesOf(successfulRows)).toEqual(outcomes.filter((outcome) => typeof outcome !== 'string'));
      }),
      { numRuns: 2_000 },
    );
  });

  it('does not take back a barcode that an earlier row has moved to another variant', () => {
    const [a, b] = [product(1, 'a'), product(2, 'b')];
    const foundProducts = {
      products: [a, b],
      variants: [{ ...variant(1, a, 'u', '1'), external_ref: 'r' }, variant(2, b, 'v', '2'), variant(3, b, 'x', '3')],
    };
    const rows = [
      variantRow(2, { code: 'v', barcode: '1' }),
      variantRow(2, { code: 'x', external_ref: 'r' }, { code: '' }),
      variantRow(2, { barcode: '1', name: 'n' }),
      variantRow(1, { code: 'u', barcode: '9' }),
    ];
    const { outcomes } = planProducts(rows, foundProducts, SLUG_TOOLS);
    expect(outcomes.map((outcome) => typeof outcome === 'string')).toEqual([false, true, false, false]);
  });
});

describe('a plan without the products whose slugs it did not generate', () => {
  const rowWithSlug = fc.record({
    code: fc.constantFrom('a', 'b', 'c', 'a.'),
    name: fc.constantFrom('n', 'm'),
    slug: optional('n', 'n-a', 'n-b', 'other'),
    images: fc.constant([]),
    variants: fc.constant([]),
  });
  const storedSlugs = fc.subarray(['n', 'n-a', 'n-b', 'm', 'm-c', 'n-x', 'kept']);

  it('is the plan for all products', () => {
    fc.assert(
      fc.property(fc.array(rowWithSlug, { maxLength: 6 }), storedSlugs, (rows, slugs) => {
        const stored = slugs.map((slug, index) => ({
          ...product(index + 1, index === 0 ? 'a' : `stored ${slug}`),
          slug,
        }));
        const isNamed = ({ code, slug }: ProductDraft) => rows.some((row) => row.code === code || row.slug === slug);
        const planFor = (products: readonly ProductDraft[]) =>
          planProducts(rows, { products, variants: [] }, SLUG_TOOLS);
        const { outcomes, generatedSlugs } = planFor(stored.filter(isNamed));
        const hasUnknownHolder = stored.some((other) => !isNamed(other) && generatedSlugs.has(other.slug));
        if (!hasUnknownHolder) expect(outcomes).toEqual(planFor(stored).outcomes);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('planProducts with explanations', () => {
  it('plans the same changes as without explanations', () => {
    fc.assert(
      fc.property(fc.array(desiredProduct, { maxLength: 6 }), (rows) => {
        expect(outcomesOf(rows, { explain: true })).toEqual(outcomesOf(rows));
      }),
    );
  });

  it('explains each row, including failed ones', () => {
    const rows = [productRow(2, 'a'), variantRow(2, { code: 'v' })];
    const { explain } = planProducts(rows, threeProducts(), SLUG_TOOLS, { explain: true });
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

function recordsAfter(rows: readonly DesiredProduct[]): { products: ProductDraft[]; variants: VariantDraft[] } {
  const foundProducts = threeProducts();
  let suffixCount = 0;
  const { outcomes } = planProducts(rows, foundProducts, {
    ...SLUG_TOOLS,
    randomSuffix: () => `${(suffixCount += 1)}`,
  });
  const plannedProducts = outcomes.filter((outcome): outcome is PlannedProduct => typeof outcome !== 'string');
  const draftsByKey = new Map<unknown, ProductDraft | VariantDraft>();
  const storeDraft = (draft: ProductDraft | VariantDraft) =>
    draftsByKey.set(draft.id === null ? draft : `${'slug' in draft}${draft.id}`, draft);
  for (const draft of [...foundProducts.products, ...foundProducts.variants]) storeDraft(draft);
  for (const { product: owner, variants } of plannedProducts)
    for (const draft of [owner, ...variants.map((v) => v.variant)]) storeDraft(draft);
  const drafts = [...draftsByKey.values()];
  return {
    products: drafts.filter((draft) => 'slug' in draft),
    variants: drafts.filter((draft): draft is VariantDraft => !('slug' in draft)),
  };
}

describe('planProducts with 10,000 rows', () => {
  it('refuses every row when each takes the code of the next product and the last product keeps its code', () => {
    const products = Array.from({ length: 10_001 }, (_, index) => product(index + 1, `c${index + 1}`));
    const rows = products.slice(1).map(({ id }, index) => productRow(index + 1, `c${id}`));
    const { outcomes } = planProducts(rows, { products, variants: [] }, SLUG_TOOLS);
    expect(outcomes.every((outcome) => outcome === 'API.Products.CodeAlreadyExists')).toBe(true);
  });
});
