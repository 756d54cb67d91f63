/** Digits and capital letters without those that are misread: I, L, O, U. */
export const NUMBER_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const NUMBER_LENGTH = 6;

/** A whole number from 0 up to, but not including, `choices`. */
export type Pick = (choices: number) => number;

/** `P-<year>-<6 characters>`: not sequential, so that nobody can guess a neighbour's. */
export function proformaNumber(year: number, pick: Pick): string {
  return `P-${year}-${characters(NUMBER_LENGTH, pick)}`;
}

/** `O-<year>-<8 characters>`, for orders that bring no number of their own. */
export function orderNumber(year: number, pick: Pick): string {
  return `O-${year}-${characters(NUMBER_LENGTH + 2, pick)}`;
}

function characters(length: number, pick: Pick): string {
  return Array.from({ length }, () => NUMBER_ALPHABET[pick(NUMBER_ALPHABET.length)]).join('');
}
