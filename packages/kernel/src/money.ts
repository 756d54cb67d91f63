/** Maximum absolute amount in minor units, such as cents. Larger amounts are refused before any arithmetic. */
export const MAX_AMOUNT = 1_000_000_000_000_00;

/**
 * Converts a JSON number in the currency to minor units. Returns `undefined` when the number has too many decimals, is
 * not finite or exceeds {@link MAX_AMOUNT}.
 */
export function toMinor(amount: number, decimals: number): number | undefined {
  // Parses the shortest decimal text of the number, which is the client's text. Rounding would accept 0.1 + 0.2 as 0.3.
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(amount));
  if (!match) return undefined;
  const [, sign, integer = '', fraction = ''] = match;
  if (fraction.length > decimals) return undefined;
  const minor = Number(integer + fraction.padEnd(decimals, '0'));
  if (minor > MAX_AMOUNT) return undefined;
  return sign === '-' ? -minor : minor;
}

export function fromMinor(minor: number, decimals: number): number {
  return minor / 10 ** decimals;
}

/** Divides and rounds half away from zero; `denominator` must be positive. */
export function divideRounded(numerator: bigint, denominator: bigint): number {
  const doubledNumerator = 2n * (numerator < 0n ? -numerator : numerator) + denominator;
  const magnitude = Number(doubledNumerator / (2n * denominator));
  return numerator < 0n && magnitude !== 0 ? -magnitude : magnitude;
}

/** Returns `amount × part / whole`, rounded half away from zero. All arguments are integers; `whole` is positive. */
export function shareOf(amount: number, part: number, whole: number): number {
  const dividend = 2 * amount * part + whole;
  // Uses `bigint` only when needed, because it takes several times as long.
  if (amount < 0 || part < 0 || dividend > Number.MAX_SAFE_INTEGER)
    return divideRounded(BigInt(amount) * BigInt(part), BigInt(whole));
  return (dividend - (dividend % (2 * whole))) / (2 * whole);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
