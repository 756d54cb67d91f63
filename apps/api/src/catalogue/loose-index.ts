/**
 * What the database's `lower(btrim(text))` may make of a text: its lower case follows the language's rules (a Greek
 * sigma at the end of a word) or goes letter by letter, as the database was set up.
 */
export function looseForms(text: string): string[] {
  const trimmed = text.replaceAll(/^ +| +$/g, '');
  return [trimmed.toLowerCase(), Array.from(trimmed, (letter) => letter.toLowerCase()).join('')];
}

/** Records by a text of theirs, as it is written or else but for its case. */
export class LooseIndex<Row> {
  private readonly exact = new Map<string, Row>();
  private readonly loose = new Map<string, Row>();

  /** Of two records that differ in case alone, the one that comes first is found by other cases. */
  constructor(rows: readonly Row[], textsOf: (row: Row) => readonly [exact: string | null, loose: string | null]) {
    for (const row of rows) {
      const [exact, loose] = textsOf(row);
      if (exact !== null) this.exact.set(exact, row);
      if (loose !== null && !this.loose.has(loose)) this.loose.set(loose, row);
    }
  }

  find(text: string): Row | undefined {
    return this.exact.get(text) ?? looseForms(text).flatMap((form) => this.loose.get(form) ?? [])[0];
  }
}
