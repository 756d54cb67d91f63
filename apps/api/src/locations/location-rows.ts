import { isBlank, LONGEST_STRING } from '@back-office/kernel';
import {
  explanationOf,
  MATCHING,
  matcherOf,
  type Explanation,
  type Explanations,
  type Match,
  type Matcher,
} from '@back-office/matching';
import { CANT_BE_BLANK, IS_INVALID, MALFORMED } from '../http/request-fields.js';
import { isRow, rowKey, rowKeys, wrongText } from '../http/row-check.js';
import type { LocationFields, LocationRow } from './location.js';

type Required = 'name' | 'latitude' | 'longitude';

/** A checked row. What was not sent is absent and keeps its value; null clears it. */
export type LocationWish = Pick<LocationFields, Required> & Partial<LocationFields>;

const LONGEST_URL = 2_048;
const OPTIONAL = {
  code: LONGEST_STRING,
  external_ref: LONGEST_STRING,
  address_line_1: LONGEST_STRING,
  city: LONGEST_STRING,
  postcode: LONGEST_STRING,
  image_url: LONGEST_URL,
};
const LARGEST = { latitude: 90, longitude: 180 };

/** All keys by which a row may fail. */
export const LOCATION_KEYS = [
  ...rowKeys('AppLocations', { required: ['name'], texts: Object.keys(OPTIONAL), numbers: Object.keys(LARGEST) }),
  'API.AppLocations.ExternalRefAlreadyExists',
];

/** A row of POST /int/app_locations as a wish, or the key of the first rule that it breaks. */
export function locationWish(row: unknown): LocationWish | string {
  if (!isRow(row)) return rowKey('AppLocations', '', MALFORMED);
  const wrong = firstWrong(row);
  if (wrong !== undefined) return wrong;
  const texts = Object.keys(OPTIONAL).flatMap((name) => (row[name] === undefined ? [] : [[name, textOf(row[name])]]));
  const { name, latitude, longitude } = row as unknown as Pick<LocationFields, Required>;
  return { name, latitude, longitude, ...(Object.fromEntries(texts) as Partial<LocationFields>) };
}

function firstWrong(row: Readonly<Record<string, unknown>>): string | undefined {
  const broken = [
    ['name', wrongText(row['name'], LONGEST_STRING, true)],
    ...Object.entries(LARGEST).map(([name, largest]) => [name, wrongDegrees(row[name], largest)]),
    ...Object.entries(OPTIONAL).map(([name, longest]) => [name, wrongText(row[name], longest, false)]),
  ] as [string, string | undefined][];
  const [name = '', wrong] = broken.find(([, each]) => each !== undefined) ?? [];
  return wrong === undefined ? undefined : rowKey('AppLocations', name, wrong);
}

function wrongDegrees(value: unknown, largest: number): string | undefined {
  if (value === undefined || value === null) return CANT_BE_BLANK;
  if (typeof value !== 'number') return MALFORMED;
  return Math.abs(value) <= largest ? undefined : IS_INVALID;
}

/** A blank text is none: it must not be what two locations have in common. */
function textOf(value: unknown): string | null {
  return typeof value === 'string' && !isBlank(value) ? value : null;
}

/** A location as it is, or as it will be; `id` is null until it is inserted. */
export type LocationDraft = { -readonly [Field in keyof LocationFields]: LocationFields[Field] } & {
  id: number | null;
};

export interface Plan {
  /** In input order: what becomes of the row, or the key of why nothing does. */
  readonly outcomes: readonly (LocationDraft | string)[];
  /** How each row has found its location; to be asked when new ones have their ids. */
  readonly explain: () => Explanations;
}

/** Decides row by row, each on top of the earlier ones, what becomes of it. */
export function planLocations(rows: readonly (LocationWish | string)[], found: readonly LocationRow[]): Plan {
  const matcher = matcherOf<LocationDraft>(
    MATCHING['POST /int/app_locations'].app_location,
    found.map((row) => ({ ...row })),
  );
  const matches: (Match<LocationDraft> | undefined)[] = [];
  const outcomes = rows.map((row) => {
    matches.push(typeof row === 'string' ? undefined : matcher.explain(row));
    return typeof row === 'string' ? row : planned(matcher, row);
  });
  const explain = (): Explanation[][] => matches.map((each) => (each ? [explanationOf('app_location', each)] : []));
  return { outcomes, explain };
}

function planned(matcher: Matcher<LocationDraft>, wish: LocationWish): LocationDraft | string {
  const draft = matcher.find(wish) ?? { ...NEW, ...wish };
  const holder = matcher.holder('external_ref', wish.external_ref);
  // A code needs no such look: whoever holds it is the one that was found.
  if (holder !== undefined && holder !== draft) return 'API.AppLocations.ExternalRefAlreadyExists';
  matcher.remove(draft);
  matcher.add(Object.assign(draft, wish));
  return draft;
}

const NEW = {
  id: null,
  code: null,
  external_ref: null,
  address_line_1: null,
  city: null,
  postcode: null,
  image_url: null,
};
