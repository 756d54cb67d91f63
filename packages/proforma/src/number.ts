/** Crockford's base 32: digits and capital letters without I, L, O and U. */
export const NUMBER_ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
export const NUMBER_LENGTH = 6;

export type PickIndex = (choices: number) => number;

/** Returns `P-<year>-<6 characters>`. The characters are random, so that nobody can guess a number. */
export function proformaNumber(year: number, pick: PickIndex): string {
  return `P-${year}-${randomCharacters(NUMBER_LENGTH, pick)}`;
}

export function orderNumber(year: number, pick: PickIndex): string {
  return `O-${year}-${randomCharacters(NUMBER_LENGTH + 2, pick)}`;
}

function randomCharacters(length: number, pick: PickIndex): string {
  return Array.from({ length }, () => NUMBER_ALPHABET[pick(NUMBER_ALPHABET.length)]).join('');
}
