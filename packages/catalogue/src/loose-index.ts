export class CaseInsensitiveIndex<Row> {
  private readonly exact = new Map<string, Row>();
  private readonly folded = new Map<string, Row>();

  /**
   * `foldings` maps each searched text to its folded form. The first record wins when several have the same folded
   * text.
   */
  constructor(
    rows: readonly Row[],
    private readonly foldings: ReadonlyMap<string, string>,
    textsOf: (row: Row) => readonly [exact: string | null, loose: string | null],
  ) {
    for (const row of rows) {
      const [exactText, foldedText] = textsOf(row);
      if (exactText !== null) this.exact.set(exactText, row);
      if (foldedText !== null && !this.folded.has(foldedText)) this.folded.set(foldedText, row);
    }
  }

  find(text: string): Row | undefined {
    return this.exact.get(text) ?? this.folded.get(this.foldings.get(text) ?? '');
  }
}
