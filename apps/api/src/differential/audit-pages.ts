import type { Bijection } from './bijection.js';
import { sortRuns, splitIntoRuns } from './runs.js';

type Fields = Readonly<Record<string, unknown>>;

/** The worker pays out due refunds concurrently, so their entries of one second have a random order. */
const REFUND_ACTION = 'refund.change';

/** Sorts neighbouring refund entries of both pages by their contents, and drops those at the ends of the pages. */
export function sortRefundEntries(
  left: readonly Fields[],
  right: readonly Fields[],
  pairs: Bijection,
): readonly [Fields[], Fields[]] {
  const keyOf =
    (translate: (subject: unknown) => unknown) =>
    (entry: Fields): string =>
      `${String(translate(entry['subject_id']))} ${amountsOf(entry)}`;
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

/** A page may begin or end within a run. */
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

function amountsOf({ after }: Fields): string {
  const { payments = [] } = (after ?? {}) as { readonly payments?: readonly Fields[] };
  return payments.map(({ amount, method }) => `${String(amount)} ${String(method)}`).join();
}
