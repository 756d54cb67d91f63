import type { Answer } from './answer.js';
import { invalidParameter } from './errors.js';
import { isPlainObject } from './nested-values.js';
import { parseListEntries } from './query-text.js';
import type { Call, QueryParameter, Route } from './route.js';
import { text } from './shapes.js';

export const FIELDS_PARAMETER: QueryParameter = {
  schema: text,
  description:
    'fields wanted, separated by commas, as paths below `data` or below each of its rows: `id,code,variants.code`. ' +
    'Unknown names are ignored',
};

export function canSelectFields({ method, media, isStreamed }: Route): boolean {
  return method === 'get' && media === undefined && !isStreamed;
}

const MAX_PATHS = 100;
const MAX_DEPTH = 5;

/** Selected fields; `null` selects the whole value. */
interface Selection {
  [field: string]: Selection | null;
}

/** Reduces `data` of an answer with status 200 to the selected fields. Throws 400 for too many or too long paths. */
export function selectFields(answer: Answer, query: Call['query']): Answer {
  const selection = parseSelection(query['fields']);
  if (selection === undefined || answer.status !== 200) return answer;
  const { body, text: json, ...rest } = answer;
  const content: unknown = body === undefined && typeof json === 'string' ? JSON.parse(json) : body;
  if (!isPlainObject(content)) return answer;
  const { data, ...others } = content;
  return { ...rest, body: { data: pick(data, selection), ...others } };
}

function parseSelection(value: unknown): Selection | undefined {
  if (value === undefined || value === '') return undefined;
  const paths = parseListEntries(value);
  if (paths.length > MAX_PATHS) throw invalidParameter('fields');
  const selection = emptySelection();
  for (const path of paths) {
    const names = typeof path === 'string' ? path.trim().split('.') : [];
    if (names.length === 0 || names.length > MAX_DEPTH || names.includes('')) throw invalidParameter('fields');
    addPath(selection, names);
  }
  return selection;
}

/** An object without a prototype has no inherited properties that a field name could match. */
function emptySelection(): Selection {
  return Object.create(null) as Selection;
}

function addPath(selection: Selection, [name = '', ...rest]: readonly string[]): void {
  const chosen = selection[name];
  if (chosen === null) return;
  if (rest.length === 0) selection[name] = null;
  else addPath((selection[name] = chosen ?? emptySelection()), rest);
}

function pick(value: unknown, selection: Selection): unknown {
  if (Array.isArray(value)) return value.map((entry) => pick(entry, selection));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => selection[name] !== undefined);
  return Object.fromEntries(
    entries.map(([name, field]) => [name, selection[name] ? pick(field, selection[name]) : field]),
  );
}
