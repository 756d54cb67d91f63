/** Amounts are whole minor units (para, cent). Everything above this bound is refused before any arithmetic. */
export const LARGEST_AMOUNT = 1_000_000_000_000_00;

/**
 * An amount as clients send it (a JSON number in the currency) in minor units;
 * `undefined` when it has more decimals than the currency, or is not finite, or is beyond {@link LARGEST_AMOUNT}.
 */
export function toMinor(amount: number, decimals: number): number | undefined {
  // The shortest decimal text of the double is what the client wrote: 0.1 + 0.2 is not hidden by rounding.
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount));
  if (!match) return undefined;
  const [, sign, whole = '', fraction = ''] = match;
  if (fraction.length > decimals) return undefined;
  const minor = Number(whole + fraction.padEnd(decimals, '0'));
  if (minor > LARGEST_AMOUNT) return undefined;
  return sign === '-' ? -minor : minor;
}

/** Minor units as the JSON number that clients read. */
export function fromMinor(minor: number, decimals: number): number {
  return minor / 10 ** decimals;
}

/** `numerator / denominator` rounded half away from zero; the denominator is positive. */
export function divideRounded(numerator: bigint, denominator: bigint): number {
  const twice = 2n * (numerator < 0n ? -numerator : numerator) + denominator;
  const magnitude = Number(twice / (2n * denominator));
  return numerator < 0n && magnitude !== 0 ? -magnitude : magnitude;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
