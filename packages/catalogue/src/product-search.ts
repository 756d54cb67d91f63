export const PRODUCT_SORT_FIELDS = ['name', 'price', 'inserted_at', 'updated_at', 'sales_quantity'] as const;
export type ProductSortField = (typeof PRODUCT_SORT_FIELDS)[number];

export interface ProductSorting {
  readonly field: ProductSortField;
  readonly isDescending: boolean;
}

const MAX_ORDER_LENGTH = 200;

/**
 * Parses comma-separated fields, each with an optional ` desc`; returns `undefined` for an invalid text. Drops repeated
 * fields.
 */
export function parseProductOrder(orderBy: string | undefined): ProductSorting[] | undefined {
  if (orderBy === undefined || orderBy === '' || orderBy.length > MAX_ORDER_LENGTH) return undefined;
  const parts = orderBy.split(',').map((part): ProductSorting | undefined => {
    const [, name, descendingSuffix] = /^([a-z_]+)( desc)?$/.exec(part) ?? [];
    const field = PRODUCT_SORT_FIELDS.find((sortField) => sortField === name);
    return field && { field, isDescending: descendingSuffix !== undefined };
  });
  const validFields = parts.filter((part) => part !== undefined);
  if (validFields.length < parts.length) return undefined;
  const firstIndexes = new Map(validFields.map(({ field }, index) => [field, index] as const).reverse());
  return validFields.filter(({ field }, index) => firstIndexes.get(field) === index);
}

/**
 * Only texts of these lengths find similar names. A shorter text is similar to too many names, and nobody types a
 * longer one.
 */
const MISTYPED_LENGTHS = { min: 3, max: 64 };

/** If more products contain the text, they are not sorted by similarity, which takes seconds for a large catalogue. */
export const MAX_RANKED_PRODUCTS = 10_000;
/** Maximum number of found products with only a similar name. Of more, the database chooses any. */
export const MAX_SIMILAR_PRODUCTS = 1_000;

/** Returns true when a search for this text also finds similar names. */
export function canBeMistyped(query: string): boolean {
  return query.length >= MISTYPED_LENGTHS.min && query.length <= MISTYPED_LENGTHS.max && !/[%_]/.test(query);
}
