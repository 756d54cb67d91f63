import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';

export interface ImportResult {
  readonly source: string;
  readonly id?: number;
  readonly url?: string;
  readonly error?: string;
}

const COLUMNS = ['source', 'id', 'url', 'error'];
const RUN_PREFIX = '# import ';

/**
 * The file with the results of an import: a CSV row for each file, with its URL in the library. A later run continues
 * the same import: it leaves out the files that have a URL.
 */
export class ImportResults {
  private constructor(
    private readonly path: string,
    /** Identifies the import, also in later runs. */
    readonly importId: string,
    private readonly imported: Set<string>,
  ) {}

  static open(path: string): ImportResults {
    if (!existsSync(path)) {
      const importId = randomUUID();
      writeFileSync(path, `${RUN_PREFIX}${importId}\n${stringify([COLUMNS])}`, { flag: 'wx' });
      return new ImportResults(path, importId, new Set());
    }
    const text = readFileSync(path, 'utf8');
    const importId = text.startsWith(RUN_PREFIX) ? (text.split('\n')[0] ?? '').slice(RUN_PREFIX.length).trim() : '';
    if (importId === '') throw new Error(`${path} exists, and is not the result of an import`);
    // A killed run may leave an incomplete last row.
    if (!text.endsWith('\n')) appendFileSync(path, '\n');
    const rows: Record<string, string>[] = parse(text, {
      columns: true,
      comment: '#',
      comment_no_infix: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    });
    const imported = rows.flatMap(({ source = '', url = '', error = '' }) =>
      url !== '' && error === '' ? [source] : [],
    );
    return new ImportResults(path, importId, new Set(imported));
  }

  has(source: string): boolean {
    return this.imported.has(source);
  }

  /** Writes at once, so that a killed run loses no result. */
  add(result: ImportResult): void {
    appendFileSync(this.path, stringify([result], { columns: COLUMNS }));
    if (result.url !== undefined) this.imported.add(result.source);
  }
}
