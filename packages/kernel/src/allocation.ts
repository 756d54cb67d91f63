import { sum } from './money.js';

/**
 * Splits `amount` (≥ 0) over `weights` (≥ 0) by largest remainder, so that the parts add up exactly. If remainders are
 * equal, the earlier weight gets the unit. If no weight is positive, every part is 0.
 */
export function allocate(amount: number, weights: readonly number[]): number[] {
  const total = sum(weights);
  if (total === 0) return weights.map(() => 0);
  const remainders = new Float64Array(weights.length);
  const parts = weights.map((weight, index) => {
    const { part, remainder } = divide(amount, weight, total);
    remainders[index] = remainder;
    return part;
  });
  const missingUnits = amount - sum(parts);
  if (missingUnits > 0) addToLargest(parts, remainders, missingUnits);
  return parts;
}

function addToLargest(parts: number[], remainders: Float64Array, count: number): void {
  const sortedRemainders = remainders.slice().sort();
  const threshold = sortedRemainders[sortedRemainders.length - count] ?? 0;
  let tiesAtThreshold = count - remainders.reduce((larger, each) => larger + Number(each > threshold), 0);
  for (const [index, remainder] of remainders.entries()) {
    if (remainder < threshold || (remainder === threshold && tiesAtThreshold === 0)) continue;
    if (remainder === threshold) tiesAtThreshold -= 1;
    parts[index] = (parts[index] ?? 0) + 1;
  }
}

function divide(amount: number, weight: number, total: number): { readonly part: number; readonly remainder: number } {
  const product = amount * weight;
  if (product <= Number.MAX_SAFE_INTEGER) {
    const remainder = product % total;
    return { part: (product - remainder) / total, remainder };
  }
  const exactProduct = BigInt(amount) * BigInt(weight);
  return { part: Number(exactProduct / BigInt(total)), remainder: Number(exactProduct % BigInt(total)) };
}
