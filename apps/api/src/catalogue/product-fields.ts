import { isBlank } from '@back-office/kernel';
import type { ProductWish } from './product-rows.js';

/** The fields that a product takes over as they are sent. */
export function pick({ name, description, price, vatRate, active }: ProductWish) {
  return { name: name ?? undefined, description, price, vatRate, active };
}

/** Variant barcodes and references are trimmed when stored, not when looked up; an empty one is none. */
export function stored(text: string | null): string | null {
  return text === null || isBlank(text) ? null : text.trim();
}

export function isGiven(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && !isBlank(text);
}

export function isEmptied(text: string | null | undefined): boolean {
  return text !== undefined && text !== null && isBlank(text);
}
