import { hash } from 'node:crypto';
import { SlotMap } from '@back-office/kernel';

/** In characters: 4 or 8 MB, or 170 pages of 30 proformas. */
const MAX_LENGTH = 4_000_000;
const MAX_AGE_MS = 60_000;

/** A listed record. Its JSON is `head`, the seconds until `endMs`, and `tail`. */
interface ListedRow {
  readonly id: number;
  readonly version: number;
  readonly endMs: number;
  readonly head: string;
  readonly tail: string;
}

/** A page as it was last listed. */
export interface RememberedPage {
  readonly rows: readonly ListedRow[];
  /** Ids and versions of the rows, as array literals of PostgreSQL. */
  readonly ids: string;
  readonly versions: string;
  /** Hash of the page without its countdowns. */
  readonly hash: string;
  /** Number of characters. */
  readonly length: number;
  /** No row was read before this time. */
  readonly readMs: number;
}

const NO_PAGE = pageOf([], 0);

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
    if (page.rows.length === 0) return;
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
 * Reads the lines of a page. A line is the id of a row that is in `known`, or the fields `id`, `version`, `endMs`, `head`
 * and `tail` of another row, separated by tabs.
 */
export function readPage(lines: string, known: RememberedPage, now: Date): RememberedPage {
  if (lines === '') return NO_PAGE;
  if (known.rows.length === 0) return pageOf(lines.split('\n').map(readRow), now.getTime());
  const knownRows = new Map(known.rows.map((row) => [row.id, row]));
  const rows = lines.split('\n').map((line) => knownRows.get(Number(line)) ?? readRow(copy(line)));
  const isUnchanged = rows.length === known.rows.length && rows.every((row, index) => row === known.rows[index]);
  return isUnchanged ? known : pageOf(rows, known.readMs);
}

function readRow(line: string): ListedRow {
  const [id, version, endMs, head = '', tail = ''] = line.split('\t');
  return { id: Number(id), version: Number(version), endMs: Number(endMs), head, tail };
}

/** A part of a text keeps the whole text in memory, for example that of rows that have left the page. */
function copy(part: string): string {
  return Buffer.from(part).toString();
}

function pageOf(rows: readonly ListedRow[], readMs: number): RememberedPage {
  const text = rows.map(({ head, tail }) => head + tail).join(',');
  return {
    rows,
    ids: `{${rows.map(({ id }) => id).join(',')}}`,
    versions: `{${rows.map(({ version }) => version).join(',')}}`,
    hash: hash('sha1', text, 'base64url'),
    length: text.length,
    readMs,
  };
}

/** Formats the page as the JSON of the API. */
export function formatPage({ rows }: RememberedPage, now: Date): string {
  const nowMs = now.getTime();
  const texts = rows.map(({ head, endMs, tail }) => head + Math.max(0, Math.floor((endMs - nowMs) / 1_000)) + tail);
  return `[${texts.join(',')}]`;
}
