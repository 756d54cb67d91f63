import { sum } from './money.js';

/**
 * Splits `amount` (≥ 0) over `weights` (≥ 0) by largest remainder. The parts add up to `amount` exactly; ties go to the
 * earlier weight. Without a positive weight every part is 0.
 */
export function allocate(amount: number, weights: readonly number[]): number[] {
  const total = BigInt(sum(weights));
  if (total === 0n) return weights.map(() => 0);
  const shares = weights.map((weight, index) => {
    const product = BigInt(amount) * BigInt(weight);
    return { index, part: Number(product / total), remainder: product % total };
  });
  let missingUnits = amount - sum(shares.map((share) => share.part));
  const parts = shares.map((share) => share.part);
  for (const share of [...shares].sort((a, b) => Number(b.remainder - a.remainder) || a.index - b.index)) {
    if (missingUnits === 0) break;
    parts[share.index] = share.part + 1;
    missingUnits -= 1;
  }
  return parts;
}
