import type { ProductLookUp } from '@back-office/catalogue';
import { trimCharacter } from '@back-office/kernel';
import { sortBy } from '../lists.js';
import { lowerCase } from '../lower-case.js';
import type { State } from '../state.js';

/** Trims only spaces, like PostgreSQL. */
export function trimSpaces(text: string): string {
  return trimCharacter(text, ' ');
}

interface Candidate {
  readonly id: number;
  readonly isExact: boolean;
  /** A code prefers products (1) to variants (2), a barcode variants (1) to products (2). */
  readonly kind: 1 | 2;
}

/**
 * Returns the ids of the products with this value, best match first. An exact code comes before a code in another case.
 * A barcode finds a variant before a product.
 */
export function lookUpIds(state: State, appId: number, lookUp: ProductLookUp): number[] {
  const byExactness = ({ isExact }: Candidate) => Number(!isExact);
  const byKind = ({ kind }: Candidate) => kind;
  const keys = lookUp.by === 'barcode' ? [byKind, byExactness] : [byExactness, byKind];
  const candidates = sortBy(candidatesOf(state, appId, lookUp), [...keys, ({ id }) => id]);
  return candidates.map(({ id }) => id);
}

function candidatesOf({ products, variants }: State, appId: number, { by, value }: ProductLookUp): Candidate[] {
  const foldedValue = lowerCase(trimSpaces(value));
  const appProducts = products.all(appId);
  switch (by) {
    case 'id':
      return appProducts.filter(({ id }) => id === Number(value)).map(({ id }) => ({ id, isExact: true, kind: 1 }));
    case 'slug':
      return appProducts.filter(({ slug }) => slug === value).map(({ id }) => ({ id, isExact: true, kind: 1 }));
    case 'code':
      return [
        ...appProducts
          .filter(({ code }) => lowerCase(trimSpaces(code)) === foldedValue)
          .map(({ id, code }) => ({ id, isExact: code === value, kind: 1 as const })),
        ...variants
          .all(appId)
          .filter(({ code }) => code !== null && lowerCase(code) === foldedValue)
          .map(({ product_id: id, code }) => ({ id, isExact: code === value, kind: 2 as const })),
      ];
    case 'barcode':
      return [
        ...variants
          .all(appId)
          .filter(({ barcode }) => barcode !== null && lowerCase(barcode) === foldedValue)
          .map(({ product_id: id, barcode }) => ({ id, isExact: barcode === value, kind: 1 as const })),
        ...appProducts
          .filter(({ barcode }) => barcode !== null && lowerCase(barcode) === foldedValue)
          .map(({ id, barcode }) => ({ id, isExact: barcode === value, kind: 2 as const })),
      ];
  }
}
