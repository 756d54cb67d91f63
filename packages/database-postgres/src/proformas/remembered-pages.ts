import { hash } from 'node:crypto';
import { SlotMap } from '@back-office/kernel';

/** In characters: 4 to 11 MB, or 160 pages of 30 proformas. */
const MAX_LENGTH = 4_000_000;
/** Longer pages are not remembered, and hashing them at once would delay other calls. */
const MAX_PAGE_LENGTH = 256 * 1_024;
const MAX_AGE_MS = 60_000;

/** A listed record. Its JSON is `head`, the seconds until `deadlineMs`, and `tail`. */
interface ListedRow {
  readonly id: number;
  readonly version: number;
  readonly deadlineMs: number;
  readonly head: string;
  readonly tail: string;
}

/** A page as it was last listed. */
export interface RememberedPage {
  readonly rows: readonly ListedRow[];
  /** Ids and versions of the rows, as array literals of PostgreSQL. */
  readonly ids: string;
  readonly versions: string;
  /** Hash of the page without its countdowns; not set for long pages. */
  readonly hash: string | undefined;
  /** Maximum number of characters that the page keeps in memory, also of rows that have left it. */
  readonly length: number;
  /** No row was read before this time. */
  readonly readMs: number;
}

const NO_PAGE = makePage([], 0, 0);

/**
 * The pages that this process listed last. A call sends the versions of the rows that it remembers, and the database
 * returns only the other rows. Every change of a row increases its version. After a minute, all rows are read again,
 * because a database that was restored or has lost changes may use a version twice.
 */
export class RememberedPages {
  private readonly byQuery = new SlotMap<string, RememberedPage>();
  private length = 0;

  constructor(private readonly maxLength = MAX_LENGTH) {}

  /** Returns an empty page if none is remembered. */
  find(query: string, now: Date): RememberedPage {
    const page = this.byQuery.get(query) ?? NO_PAGE;
    const ageMs = now.getTime() - page.readMs;
    return ageMs >= 0 && ageMs <= MAX_AGE_MS ? page : NO_PAGE;
  }

  remember(query: string, page: RememberedPage): void {
    this.forget(query);
    if (page.rows.length === 0 || page.length > MAX_PAGE_LENGTH) return;
    this.byQuery.set(query, page);
    this.length += page.length;
    for (const oldQuery of this.byQuery.keys()) {
      if (this.length <= this.maxLength) return;
      this.forget(oldQuery);
    }
  }

  private forget(query: string): void {
    this.length -= this.byQuery.get(query)?.length ?? 0;
    this.byQuery.delete(query);
  }
}

/**
 * Reads the entries of a page, one on each line. The entry of a row in `known` is only its id. Other entries have the
 * fields `id`, `version`, `deadlineMs`, `head` and `tail`, separated by tabs.
 */
export function readPage(entries: string, known: RememberedPage, now: Date): RememberedPage {
  if (entries === '') return NO_PAGE;
  if (known.rows.length === 0) return makePage(entries.split('\n').map(readRow), entries.length, now.getTime());
  const knownRows = new Map(known.rows.map((row) => [row.id, row]));
  let length = known.length;
  const rows = entries.split('\n').map((entry) => {
    const knownRow = knownRows.get(Number(entry));
    if (knownRow === undefined) length += entry.length;
    return knownRow ?? readRow(copy(entry));
  });
  const isUnchanged = rows.length === known.rows.length && rows.every((row, index) => row === known.rows[index]);
  return isUnchanged ? known : makePage(rows, length, known.readMs);
}

function readRow(entry: string): ListedRow {
  const [id, version, deadlineMs, head = '', tail = ''] = entry.split('\t');
  return { id: Number(id), version: Number(version), deadlineMs: Number(deadlineMs), head, tail };
}

/** A slice of a string keeps the whole string in memory. */
function copy(part: string): string {
  return Buffer.from(part).toString();
}

function makePage(rows: readonly ListedRow[], length: number, readMs: number): RememberedPage {
  const text = rows.map(({ head, tail }) => head + tail).join(',');
  return {
    rows,
    ids: `{${rows.map(({ id }) => id).join(',')}}`,
    versions: `{${rows.map(({ version }) => version).join(',')}}`,
    hash: text.length > MAX_PAGE_LENGTH ? undefined : hash('sha1', text, 'base64url'),
    length,
    readMs,
  };
}

/** Formats the page as the JSON of the API. */
export function formatPage({ rows }: RememberedPage, now: Date): string {
  const nowMs = now.getTime();
  const texts = rows.map(
    ({ head, deadlineMs, tail }) => head + Math.max(0, Math.floor((deadlineMs - nowMs) / 1_000)) + tail,
  );
  return `[${texts.join(',')}]`;
}
