/** Finds records by an exact text, else ignoring case. */
export class LooseIndex<Row> {
  private readonly exact = new Map<string, Row>();
  private readonly loose = new Map<string, Row>();

  /**
   * `foldings` maps each text that will be searched to its folded form. The first of several records with the same
   * folded text is found.
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
