const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');

/**
 * Returns SQL of the payment reference of a proforma number, under model 97: letters count as the numbers 10 to 35, and
 * two check digits replace the `P`.
 */
export function paymentReferenceSql(number: string): string {
  const digits = LETTERS.reduce(
    (text, letter, index) => `replace(${text}, '${letter}', '${index + 10}')`,
    `replace(substr(${number}, 3), '-', '')`,
  );
  return `lpad((98 - ${digits}::bigint * 100 % 97)::text, 2, '0') || substr(${number}, 2)`;
}
