import {
  type Explanation,
  explanationOf,
  type FoundRecord,
  type IdentifierValues,
  type Match,
  type Matcher,
} from '@back-office/matching';
import type { ProductDraft, VariantDraft } from './product-drafts.js';

interface RecordMatch {
  readonly record: 'product' | 'variant';
  readonly match: Match<ProductDraft | VariantDraft>;
}

/** Finds the records of the rows and, if requested, keeps the matches of each row for its explanation. */
export class RowMatches {
  private readonly matches = new Map<number, RecordMatch[]>();
  private current: RecordMatch[] = [];

  constructor(private readonly areKept: boolean) {}

  /** Call before the first `find` of a row. Drops earlier matches of the row. */
  begin(row: number): void {
    if (!this.areKept) return;
    this.current = [];
    this.matches.set(row, this.current);
  }

  find<Draft extends ProductDraft | VariantDraft>(
    record: RecordMatch['record'],
    matcher: Matcher<Draft>,
    identifiers: IdentifierValues,
  ): FoundRecord<Draft> | undefined {
    if (this.areKept) this.current.push({ record, match: matcher.explain(identifiers) });
    return matcher.findMatch(identifiers);
  }

  explain(row: number): Explanation[] {
    return (this.matches.get(row) ?? []).map(({ record, match }) => explanationOf(record, match));
  }
}
