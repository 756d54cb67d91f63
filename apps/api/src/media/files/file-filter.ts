import { addHours, isRefusal, isStorable, parseBoolean, parseInteger, type Page } from '@back-office/kernel';
import { FILE_KINDS, parseFolderPath, unusedSince, type FileFilter } from '@back-office/media';

type Query = Readonly<Record<string, unknown>>;
const HOURS_PER_DAY = 24;
const MAX_DAYS = 36_500;

/** Ignores filters that are invalid. */
export function fileFilter(query: Query, unusedThresholdDays: number, now: Date): FileFilter {
  const folder = typeof query['folder'] === 'string' ? parseFolderPath(query['folder'], 'folder') : undefined;
  const days = parseInteger(query['since_days']);
  const minSize = parseInteger(query['min_size']);
  return {
    folder: isRefusal(folder) ? undefined : folder,
    search: searchOf(query),
    kind: FILE_KINDS.find((kind) => kind === query['kind']),
    unusedBefore: parseBoolean(query['unused']) ? unusedSince(now, unusedThresholdDays) : undefined,
    noAlt: parseBoolean(query['noalt']) === true,
    minSize: minSize !== undefined && minSize >= 0 ? minSize : undefined,
    since: days !== undefined && days >= 0 ? addHours(now, -Math.min(days, MAX_DAYS) * HOURS_PER_DAY) : undefined,
    hidden: parseBoolean(query['hidden_only']) ? 'only' : parseBoolean(query['hidden']) ? 'included' : 'left out',
  };
}

export function searchOf(query: Query): string | undefined {
  return parseSearch(query['search']);
}

/** Returns the trimmed text; undefined when it is empty or no record can hold it. */
export function parseSearch(sent: unknown): string | undefined {
  const search = typeof sent === 'string' && isStorable(sent) ? sent.trim() : '';
  return search === '' ? undefined : search;
}

export interface PageParameters {
  /** Names of the query parameters. */
  readonly number: string;
  readonly size: string;
  readonly defaultSize: number;
  readonly maxSize: number;
}

/** Pages are numbered from 1; invalid parameters give the first page of the default size. */
export function parseNumberedPage(query: Query, { number, size, defaultSize, maxSize }: PageParameters): Page {
  const sentSize = parseInteger(query[size]);
  const limit = sentSize !== undefined && sentSize >= 1 ? Math.min(sentSize, maxSize) : defaultSize;
  const sentNumber = parseInteger(query[number]);
  const page = sentNumber !== undefined && sentNumber >= 1 ? Math.min(sentNumber, 2 ** 31) : 1;
  return { limit, offset: (page - 1) * limit };
}
