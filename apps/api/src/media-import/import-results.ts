import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import type { ImportEntry } from './import-entries.js';

export type ImportOutcome = { readonly id: number; readonly url: string } | { readonly error: string };

type Row = Readonly<Record<string, string>>;

const COLUMNS = ['source', 'folder', 'name', 'id', 'url', 'error'];
/** Prefix of the last column, whose name has the id of the import. */
const IMPORT_PREFIX = 'import ';

/**
 * The file with the results of an import: a CSV row for each attempt at a file, with its URL in the library. A later
 * run continues the same import: it leaves out the files that have a URL.
 */
export class ImportResults {
  private readonly imported = new Set<string>();
  private readonly failures = new Map<string, number>();

  private constructor(
    private readonly path: string,
    /** Identifies the import, also in later runs. */
    readonly importId: string,
    rows: readonly Row[],
  ) {
    for (const { source = '', folder = '', name = '', error = '' } of rows) this.note([source, folder, name], error);
  }

  static open(path: string): ImportResults {
    if (!existsSync(path)) {
      const importId = randomUUID();
      writeFileSync(path, stringify([[...COLUMNS, IMPORT_PREFIX + importId]]), { flag: 'wx' });
      return new ImportResults(path, importId, []);
    }
    const text = readFileSync(path, 'utf8');
    // A killed run may leave an incomplete last row.
    const completeText = text.slice(0, text.lastIndexOf('\n') + 1);
    let columns: readonly string[] = [];
    const rows: Row[] = parse(completeText, {
      columns: (names: string[]) => (columns = names),
      relax_column_count: true,
    });
    const lastColumn = columns.at(-1) ?? '';
    if (!lastColumn.startsWith(IMPORT_PREFIX)) throw new Error(`${path} exists, and is not the result of an import`);
    if (completeText.length < text.length) truncateSync(path, Buffer.byteLength(completeText));
    return new ImportResults(path, lastColumn.slice(IMPORT_PREFIX.length), rows);
  }

  has(entry: ImportEntry): boolean {
    return this.imported.has(keyOf(identityOf(entry)));
  }

  /** Returns how often the entry has failed, in all runs. */
  failuresOf(entry: ImportEntry): number {
    return this.failures.get(keyOf(identityOf(entry))) ?? 0;
  }

  /** Writes at once, so that a killed run loses no result. */
  add(entry: ImportEntry, outcome: ImportOutcome): void {
    const identity = identityOf(entry);
    const { id, url, error } = { id: '', url: '', error: '', ...outcome };
    appendFileSync(this.path, stringify([[...identity, id, url, toLine(error)]]));
    this.note(identity, error);
  }

  private note(identity: readonly string[], error: string): void {
    const key = keyOf(identity);
    if (error === '') this.imported.add(key);
    else this.failures.set(key, (this.failures.get(key) ?? 0) + 1);
  }
}

/** A list may have a file several times, for several folders. */
function identityOf({ source, folder, name }: ImportEntry): readonly string[] {
  return [source, folder, name].map(toLine);
}

/** Every row takes one line, so that only the last one can be incomplete. */
function toLine(text: string): string {
  return text.replaceAll('\r', ' ').replaceAll('\n', ' ');
}

function keyOf(identity: readonly string[]): string {
  return JSON.stringify(identity);
}
