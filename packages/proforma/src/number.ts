/** Crockford's base 32: digits and capital letters without I, L, O and U. */
export const NUMBER_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const NUMBER_LENGTH = 6;

/** Returns a whole number from 0 to `choices` - 1. */
export type Pick = (choices: number) => number;

/** `P-<year>-<6 characters>`; random, so numbers cannot be guessed. */
export function proformaNumber(year: number, pick: Pick): string {
  return `P-${year}-${characters(NUMBER_LENGTH, pick)}`;
}

export function orderNumber(year: number, pick: Pick): string {
  return `O-${year}-${characters(NUMBER_LENGTH + 2, pick)}`;
}

function characters(length: number, pick: Pick): string {
  return Array.from({ length }, () => NUMBER_ALPHABET[pick(NUMBER_ALPHABET.length)]).join('');
}
