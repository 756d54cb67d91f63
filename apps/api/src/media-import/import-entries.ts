import { parse } from 'csv-parse';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';

/** A file to import. `source` is its path below the folder, or its URL. */
export interface ImportEntry {
  readonly source: string;
  readonly location: { readonly path: string } | { readonly url: string };
  readonly name: string;
  /** Folder of the library; an empty text is its root. */
  readonly folder: string;
  readonly alt?: string;
  readonly caption?: string;
  readonly description?: string;
  readonly tags?: string[];
}

const NO_URL_COLUMN = 'The CSV file has no column url';
const TEXT_COLUMNS = ['alt', 'caption', 'description'] as const;

/**
 * Yields the files of a folder, or the rows of a CSV file with a header and the column `url`. Folders of the library are
 * below `targetFolder`. Hidden files and the file `leftOut` are left out.
 */
export async function* importEntries(
  from: string,
  targetFolder: string,
  leftOut?: string,
): AsyncGenerator<ImportEntry> {
  if ((await stat(from)).isDirectory()) yield* entriesOfFolder(from, targetFolder, leftOut);
  else yield* entriesOfCsv(from, targetFolder);
}

async function* entriesOfFolder(
  root: string,
  targetFolder: string,
  leftOut: string | undefined,
): AsyncGenerator<ImportEntry> {
  const files = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = files
    .filter((file) => file.isFile() || file.isSymbolicLink())
    .map((file) => relative(root, join(file.parentPath, file.name)))
    .sort();
  for (const path of paths) {
    const parts = path.split(sep);
    if (parts.some((part) => part.startsWith('.')) || resolve(root, path) === leftOut) continue;
    const folder = joinFolders(targetFolder, ...parts.slice(0, -1));
    yield { source: parts.join('/'), location: { path: join(root, path) }, name: basename(path), folder };
  }
}

async function* entriesOfCsv(path: string, targetFolder: string): AsyncGenerator<ImportEntry> {
  let header: readonly string[] = [];
  const rows = createReadStream(path).pipe(
    parse({
      columns: (columns: string[]) => (header = readHeader(columns)),
      bom: true,
      trim: true,
      skip_records_with_empty_values: true,
      relax_column_count: true,
    }),
  );
  for await (const row of rows as AsyncIterable<Readonly<Record<string, string | undefined>>>) {
    const { url = '', name = '', folder = '', tags = '' } = row;
    const texts = TEXT_COLUMNS.flatMap((column) => (row[column] ? [[column, row[column]] as const] : []));
    yield {
      source: url,
      location: { url },
      name: name === '' ? nameOf(url) : name,
      folder: joinFolders(targetFolder, folder),
      ...Object.fromEntries(texts),
      ...(tags !== '' && { tags: tags.split(',') }),
    };
  }
  if (header.length === 0) throw new Error(NO_URL_COLUMN);
}

function readHeader(columns: readonly string[]): string[] {
  const names = columns.map((column) => column.toLowerCase());
  if (!names.includes('url')) throw new Error(NO_URL_COLUMN);
  return names;
}

function nameOf(url: string): string {
  const [last = ''] = (URL.canParse(url) ? new URL(url).pathname : url).split('/').slice(-1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

function joinFolders(...folders: readonly string[]): string {
  return folders.filter((folder) => folder !== '').join('/');
}
