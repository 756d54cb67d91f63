import type { ProductLookUp } from '@back-office/catalogue';
import { trimCharacter } from '@back-office/kernel';
import { sortedBy } from '../lists.js';
import { lowerCase } from '../lower-case.js';
import type { State } from '../state.js';

/** Trims spaces only, like PostgreSQL. */
export function trimSpaces(text: string): string {
  return trimCharacter(text, ' ');
}

interface Candidate {
  readonly id: number;
  readonly isExact: boolean;
  /** Products by their own code come before those by a variant's code. */
  readonly kind: 1 | 2;
}

/** Ids of the products that a value names, best first; exact codes before those that differ in case. */
export function lookUpIds(state: State, appId: number, lookUp: ProductLookUp): number[] {
  const candidates = sortedBy(candidatesOf(state, appId, lookUp), [
    ({ isExact }) => Number(!isExact),
    ({ kind }) => kind,
    ({ id }) => id,
  ]);
  return candidates.map(({ id }) => id);
}

function candidatesOf({ products, variants }: State, appId: number, { by, value }: ProductLookUp): Candidate[] {
  const loose = lowerCase(trimSpaces(value));
  const all = products.all(appId);
  switch (by) {
    case 'id':
      return all.filter(({ id }) => id === Number(value)).map(({ id }) => ({ id, isExact: true, kind: 1 }));
    case 'slug':
      return all.filter(({ slug }) => slug === value).map(({ id }) => ({ id, isExact: true, kind: 1 }));
    case 'code':
      return [
        ...all
          .filter(({ code }) => lowerCase(trimSpaces(code)) === loose)
          .map(({ id, code }) => ({ id, isExact: code === value, kind: 1 as const })),
        ...variants
          .all(appId)
          .filter(({ code }) => lowerCase(code) === loose)
          .map(({ product_id: id, code }) => ({ id, isExact: code === value, kind: 2 as const })),
      ];
    case 'barcode':
      return variants
        .all(appId)
        .filter(({ barcode }) => barcode !== null && lowerCase(barcode) === loose)
        .map(({ product_id: id, barcode }) => ({ id, isExact: barcode === value, kind: 2 }));
  }
}
