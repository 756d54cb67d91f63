import {
  CANT_BE_BLANK,
  IS_INVALID,
  isBlank,
  isRow,
  MAX_STRING_LENGTH,
  MALFORMED,
  rowErrorKey,
  rowErrorKeys,
  checkTextField,
  checkImageUrlField,
  storedIdentifier,
  type ParsedRow,
  planRows,
  type RowOutcome,
} from '@back-office/kernel';
import {
  type BulkPlan,
  explanationsOf,
  type Match,
  type Matcher,
  matcherOf,
  MATCHING,
  TRIMMED,
} from '@back-office/matching';
import type { LocationFields, Location } from './location.js';

type RequiredField = 'name' | 'latitude' | 'longitude';

/** An absent field does not change; null clears the field. */
export type DesiredLocation = Pick<LocationFields, RequiredField> & Partial<LocationFields>;

const MAX_URL_LENGTH = 2_048;
const MAX_OPTIONAL_LENGTHS = {
  code: MAX_STRING_LENGTH,
  external_ref: MAX_STRING_LENGTH,
  address_line_1: MAX_STRING_LENGTH,
  city: MAX_STRING_LENGTH,
  postcode: MAX_STRING_LENGTH,
  image_url: MAX_URL_LENGTH,
};
const MAX_DEGREES = { latitude: 90, longitude: 180 };

export const LOCATION_KEYS = [
  ...rowErrorKeys('AppLocations', {
    required: ['name'],
    texts: Object.keys(MAX_OPTIONAL_LENGTHS),
    numbers: Object.keys(MAX_DEGREES),
  }),
  'API.AppLocations.ExternalRefAlreadyExists',
];

export function parseLocation(row: unknown): DesiredLocation | string {
  if (!isRow(row)) return rowErrorKey('AppLocations', '', MALFORMED);
  const error = findFirstError(row);
  if (error !== undefined) return error;
  const texts = Object.keys(MAX_OPTIONAL_LENGTHS).flatMap((name) =>
    row[name] === undefined ? [] : [[name, blankToNull(row[name])]],
  );
  const { name, latitude, longitude } = row as unknown as Pick<LocationFields, RequiredField>;
  return { name, latitude, longitude, ...(Object.fromEntries(texts) as Partial<LocationFields>) };
}

function findFirstError(row: Readonly<Record<string, unknown>>): string | undefined {
  const checks = [
    ['name', checkTextField(row['name'], MAX_STRING_LENGTH, true)],
    ...Object.entries(MAX_DEGREES).map(([name, max]) => [name, checkDegrees(row[name], max)]),
    ...Object.entries(MAX_OPTIONAL_LENGTHS).map(([name, max]) => [name, checkTextField(row[name], max, false)]),
    ['image_url', checkImageUrlField(row['image_url'], MAX_URL_LENGTH, false)],
  ] as [string, string | undefined][];
  const [name = '', rule] = checks.find(([, failedRule]) => failedRule !== undefined) ?? [];
  return rule === undefined ? undefined : rowErrorKey('AppLocations', name, rule);
}

function checkDegrees(value: unknown, max: number): string | undefined {
  if (value === undefined || value === null) return CANT_BE_BLANK;
  if (typeof value !== 'number') return MALFORMED;
  return Math.abs(value) <= max ? undefined : IS_INVALID;
}

/** Converts a blank text to null, because otherwise it would match every location with a blank text. */
function blankToNull(value: unknown): string | null {
  return typeof value === 'string' && !isBlank(value) ? value : null;
}

export type LocationDraft = { -readonly [Field in keyof LocationFields]: LocationFields[Field] } & {
  id: number | null;
};

export function planLocations(
  rows: readonly ParsedRow<DesiredLocation>[],
  storedLocations: readonly Location[],
): BulkPlan<LocationDraft> {
  const matcher = matcherOf<LocationDraft>(
    MATCHING['POST /int/app_locations'].app_location,
    storedLocations.map((row) => ({ ...row })),
    TRIMMED['POST /int/app_locations'].app_location,
  );
  const matches = new Map<number, Match<LocationDraft>>();
  const outcomes = planRows(rows, (row: DesiredLocation, index) => {
    matches.set(index, matcher.explain(row));
    return planRow(matcher, row);
  });
  const explain = () => rows.map((_, index) => explanationsOf('app_location', matches.get(index)));
  return { outcomes, explain };
}

function planRow(matcher: Matcher<LocationDraft>, desiredLocation: DesiredLocation): RowOutcome<LocationDraft> {
  const existing = matcher.find(desiredLocation);
  const fields = withStoredReference(desiredLocation, existing);
  const draft = existing ?? { ...EMPTY_LOCATION, ...fields };
  const holder = matcher.findHolder('external_ref', fields.external_ref);
  // Checks only the reference: rows match by code first, so no other location can have the code.
  if (holder !== undefined && holder !== draft) return 'API.AppLocations.ExternalRefAlreadyExists';
  matcher.remove(draft);
  matcher.add(Object.assign(draft, fields));
  return draft;
}

function withStoredReference(desiredLocation: DesiredLocation, existing: LocationDraft | undefined): DesiredLocation {
  const { external_ref } = desiredLocation;
  if (typeof external_ref !== 'string') return desiredLocation;
  return { ...desiredLocation, external_ref: storedIdentifier(external_ref, existing?.external_ref) };
}

const EMPTY_LOCATION = {
  id: null,
  code: null,
  external_ref: null,
  address_line_1: null,
  city: null,
  postcode: null,
  image_url: null,
};
