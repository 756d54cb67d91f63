import type { Bijection } from './bijection.js';
import { sortRuns, splitIntoRuns } from './runs.js';

type Fields = Readonly<Record<string, unknown>>;

/** The worker pays out due refunds concurrently, so refund entries of the same second have a random order. */
const REFUND_ACTION = 'refund.change';

/**
 * Returns the entries of both pages in an order that can be compared. Sorts neighbouring refund entries, because their
 * order is random. Drops refund entries at the start and end of a page, because the other page may lack them.
 */
export function comparableEntries(
  left: readonly Fields[],
  right: readonly Fields[],
  pairs: Bijection,
): readonly [Fields[], Fields[]] {
  const keyOf =
    (translate: (subject: unknown) => unknown) =>
    (entry: Fields): string =>
      `${String(translate(entry['subject_id']))} ${refundsOf(entry)}`;
  return [
    sortRuns(
      withoutEndRuns(left),
      areConcurrent,
      keyOf((subject) => pairs.partner('proforma', subject) ?? subject),
    ),
    sortRuns(
      withoutEndRuns(right),
      areConcurrent,
      keyOf((subject) => subject),
    ),
  ];
}

/** A page may contain only a part of its first or last run of refund entries, so these runs cannot be compared. */
function withoutEndRuns(entries: readonly Fields[]): Fields[] {
  const runs = splitIntoRuns(entries, areConcurrent);
  if (isRefund(runs[0]?.[0])) runs.shift();
  if (isRefund(runs.at(-1)?.[0])) runs.pop();
  return runs.flat();
}

function areConcurrent(left: Fields, right: Fields): boolean {
  return isRefund(left) && isRefund(right) && left['at'] === right['at'];
}

function isRefund(entry: Fields | undefined): boolean {
  return entry?.['action'] === REFUND_ACTION;
}

/** The ids of equal refunds of a proforma have the same order on both sides. */
function refundsOf({ after }: Fields): string {
  const { payments = [] } = (after ?? {}) as { readonly payments?: readonly Fields[] };
  return payments
    .map((payment) => `${String(payment['amount'])} ${String(payment['method'])} ${String(payment['refund_of_id'])}`)
    .join();
}
