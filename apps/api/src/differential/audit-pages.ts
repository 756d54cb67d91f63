import type { Bijection } from './bijection.js';

type Fields = Readonly<Record<string, unknown>>;

/** The worker pays out due refunds concurrently, so their entries of one second have a random order. */
const REFUND_ACTION = 'refund.change';

/** Sorts neighbouring refund entries of both pages by their contents, and drops those at the ends of the pages. */
export function sortRefundEntries(
  left: readonly Fields[],
  right: readonly Fields[],
  pairs: Bijection,
): readonly [Fields[], Fields[]] {
  const translate = (subject: unknown): unknown => pairs.partner('proforma', subject) ?? subject;
  return [sortRuns(left, translate), sortRuns(right, (subject) => subject)];
}

function sortRuns(entries: readonly Fields[], translate: (subject: unknown) => unknown): Fields[] {
  const runs: Fields[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run && isRefund(entry) && isRefund(run[0]) && run[0]?.['at'] === entry['at']) run.push(entry);
    else runs.push([entry]);
  }
  // A page may begin or end within a run.
  if (isRefund(runs[0]?.[0])) runs.shift();
  if (isRefund(runs.at(-1)?.[0])) runs.pop();
  const keyOf = (entry: Fields): string => `${String(translate(entry['subject_id']))} ${amountsOf(entry)}`;
  return runs.flatMap((run) => run.sort((a, b) => keyOf(a).localeCompare(keyOf(b))));
}

function isRefund(entry: Fields | undefined): boolean {
  return entry?.['action'] === REFUND_ACTION;
}

function amountsOf({ after }: Fields): string {
  const { payments = [] } = (after ?? {}) as { readonly payments?: readonly Fields[] };
  return payments.map(({ amount, method }) => `${String(amount)} ${String(method)}`).join();
}
