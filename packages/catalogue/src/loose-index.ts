export class CaseInsensitiveIndex<Row> {
  private readonly rowsByExactText = new Map<string, Row>();
  private readonly rowsByFoldedText = new Map<string, Row>();

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
      if (exactText !== null) this.rowsByExactText.set(exactText, row);
      if (foldedText !== null && !this.rowsByFoldedText.has(foldedText)) this.rowsByFoldedText.set(foldedText, row);
    }
  }

  find(text: string): Row | undefined {
    return this.rowsByExactText.get(text) ?? this.rowsByFoldedText.get(this.foldings.get(text) ?? '');
  }
}
