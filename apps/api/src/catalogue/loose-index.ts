/** Records by a text of theirs, as it is written or else but for its case. */
export class LooseIndex<Row> {
  private readonly exact = new Map<string, Row>();
  private readonly loose = new Map<string, Row>();

  /**
   * `foldings` says how whatever is going to be sought folds. Of two records that differ in case alone, the one that
   * comes first is found by other cases.
   */
  constructor(
    rows: readonly Row[],
    private readonly foldings: ReadonlyMap<string, string>,
    textsOf: (row: Row) => readonly [exact: string | null, loose: string | null],
  ) {
    for (const row of rows) {
      const [exact, loose] = textsOf(row);
      if (exact !== null) this.exact.set(exact, row);
      if (loose !== null && !this.loose.has(loose)) this.loose.set(loose, row);
    }
  }

  find(text: string): Row | undefined {
    return this.exact.get(text) ?? this.loose.get(this.foldings.get(text) ?? '');
  }
}
