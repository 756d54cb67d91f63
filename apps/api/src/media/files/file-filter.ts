import { addHours, isRefusal, isStorable, parseBoolean, parseInteger, type Page } from '@back-office/kernel';
import { FILE_KINDS, parseFolderPath, unusedCutoff, type FileFilter } from '@back-office/media';

type Query = Readonly<Record<string, unknown>>;
const HOURS_PER_DAY = 24;
const MAX_DAYS = 36_500;

export function parseFileFilter(query: Query, unusedThresholdDays: number, now: Date): FileFilter {
  const folder = typeof query['folder'] === 'string' ? parseFolderPath(query['folder'], 'folder') : undefined;
  const sinceDays = parseInteger(query['since_days']);
  const minSize = parseInteger(query['min_size']);
  return {
    folder: isRefusal(folder) ? undefined : folder,
    search: searchOf(query),
    kind: FILE_KINDS.find((kind) => kind === query['kind']),
    unusedBefore: parseBoolean(query['unused']) ? unusedCutoff(now, unusedThresholdDays) : undefined,
    noAlt: parseBoolean(query['noalt']) === true,
    minSize: minSize !== undefined && minSize >= 0 ? minSize : undefined,
    since:
      sinceDays !== undefined && sinceDays >= 0
        ? addHours(now, -Math.min(sinceDays, MAX_DAYS) * HOURS_PER_DAY)
        : undefined,
    hidden: parseBoolean(query['hidden_only']) ? 'only' : parseBoolean(query['hidden']) ? 'included' : 'left out',
  };
}

/** Returns the trimmed parameter `search`; `undefined` when it is blank, not a text or not storable. */
export function searchOf(query: Query): string | undefined {
  return parseSearch(query['search']);
}

export function parseSearch(value: unknown): string | undefined {
  const search = typeof value === 'string' && isStorable(value) ? value.trim() : '';
  return search === '' ? undefined : search;
}

export interface PageParameters {
  readonly numberParameter: string;
  readonly sizeParameter: string;
  readonly defaultSize: number;
  readonly maxSize: number;
}

/** Pages are numbered from 1. Invalid parameters select page 1 with the default size. */
export function parseNumberedPage(
  query: Query,
  { numberParameter, sizeParameter, defaultSize, maxSize }: PageParameters,
): Page {
  const requestedSize = parseInteger(query[sizeParameter]);
  const limit = requestedSize !== undefined && requestedSize >= 1 ? Math.min(requestedSize, maxSize) : defaultSize;
  const requestedNumber = parseInteger(query[numberParameter]);
  const page = requestedNumber !== undefined && requestedNumber >= 1 ? Math.min(requestedNumber, 2 ** 31) : 1;
  return { limit, offset: (page - 1) * limit };
}

export function isFolderKey(value: unknown): boolean {
  return typeof value === 'string' && !isRefusal(parseFolderPath(value, 'folder'));
}

export function isFileKind(value: unknown): boolean {
  return FILE_KINDS.some((kind) => kind === value);
}
