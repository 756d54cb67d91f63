import {
  ALREADY_TAKEN,
  CANT_BE_BLANK,
  isRow,
  looseCode,
  MALFORMED,
  mapSteps,
  rowErrorKey,
  runSteps,
  type RowOutcome,
  type Steps,
} from '@back-office/kernel';

import type { Field, FieldContext, Row } from './fields.js';

export interface Resource {
  readonly area: string;
  readonly fields: Readonly<Record<string, Field>>;
  readonly reference?: { readonly field: string; readonly failure: string };
  readonly limits?: readonly RecordLimit[];
  readonly sometimesRequired?: readonly string[];
  /** A field whose new values must differ from all others, without case and outer spaces, unless they are equal. */
  readonly looseCode?: string;
  /** Returns the record to store, or the broken rule when the fields contradict each other. */
  readonly finish?: (nextRecord: Row, storedRecord: Row | undefined, sentFields: Row) => Row | BrokenRule;
}

/** Maximum number of records. Counts records that have the `where` values and an end that is not in the past. */
export interface RecordLimit {
  readonly count: number;
  readonly where: Readonly<Record<string, boolean | null>>;
  /** Counts records separately for each value of this column. By default, counts all records of the app together. */
  readonly groupColumn?: string;
  readonly endColumn: string;
  readonly failure: string;
}

export interface BrokenRule {
  readonly field: string;
  readonly rule: string;
}

export interface StoredRow extends Row {
  readonly code: string;
}

export interface FoundRecords {
  readonly app: FieldContext['app'];
  /** The records with these codes, and those with their loose codes. */
  readonly records: readonly StoredRow[];
  readonly referencedIds: ReadonlySet<unknown>;
}

export interface SetUpPlan {
  readonly outcomes: readonly RowOutcome<StoredRow>[];
  readonly records: readonly StoredRow[];
}

/** Plans the rows in order; each row sees the changes of earlier rows. A row matches a record only by code. */
export function planSetUp(...parameters: Parameters<typeof planSetUpSteps>): SetUpPlan {
  return runSteps(planSetUpSteps(...parameters));
}

/** Plans like {@link planSetUp}, in steps. */
export function* planSetUpSteps(
  resource: Resource,
  rows: readonly unknown[],
  { app, records, referencedIds }: FoundRecords,
): Steps<SetUpPlan> {
  const recordsByCode = new Map(records.map((row) => [row.code, row]));
  const looseCodes = new LooseCodes(resource, records);
  const outcomes = yield* mapSteps(rows, (sentRow): RowOutcome<StoredRow> => {
    const plannedRow = planRow(resource, sentRow, { app, recordsByCode, referencedIds });
    if (typeof plannedRow === 'string') return plannedRow;
    const takenKey = looseCodes.findTaken(plannedRow, recordsByCode.get(plannedRow.code));
    if (takenKey !== undefined) return takenKey;
    recordsByCode.set(plannedRow.code, plannedRow);
    return plannedRow;
  });
  return { outcomes, records: [...recordsByCode.values()] };
}

/** Counts the exact codes of the app by their loose form. */
class LooseCodes {
  private readonly countsByLoose = new Map<string, Map<string, number>>();

  constructor(
    private readonly resource: Resource,
    records: readonly StoredRow[],
  ) {
    for (const record of records) this.count(record, 1);
  }

  /** Returns a message key when the code is new to the record and that of another differs only by case and outer spaces. */
  findTaken(planned: StoredRow, stored: StoredRow | undefined): string | undefined {
    const { area, looseCode: field = '' } = this.resource;
    const code = planned[field];
    this.count(stored, -1);
    const otherCodes = typeof code === 'string' ? this.countsByLoose.get(looseCode(code)) : undefined;
    const isTaken = otherCodes !== undefined && otherCodes.size > 0 && !otherCodes.has(String(code));
    if (isTaken && stored?.[field] !== code) {
      this.count(stored, 1);
      return rowErrorKey(area, field, ALREADY_TAKEN);
    }
    this.count(planned, 1);
    return undefined;
  }

  private count(record: StoredRow | undefined, change: 1 | -1): void {
    const code = record?.[this.resource.looseCode ?? ''];
    if (typeof code !== 'string') return;
    const counts = this.countsByLoose.get(looseCode(code)) ?? new Map<string, number>();
    this.countsByLoose.set(looseCode(code), counts);
    const count = (counts.get(code) ?? 0) + change;
    if (count > 0) counts.set(code, count);
    else counts.delete(code);
  }
}

interface RowContext extends Omit<FoundRecords, 'records'> {
  readonly recordsByCode: ReadonlyMap<string, StoredRow>;
}

function planRow(resource: Resource, sentRow: unknown, context: RowContext): RowOutcome<StoredRow> {
  const { area, fields, reference, finish } = resource;
  if (!isRow(sentRow)) return rowErrorKey(area, '', MALFORMED);
  const storedRecord = typeof sentRow['code'] === 'string' ? context.recordsByCode.get(sentRow['code']) : undefined;
  const storedFields: Record<string, unknown> = {};
  const fieldContext = { app: context.app, row: { ...storedRecord, ...sentRow } };
  for (const [name, field] of Object.entries(fields)) {
    const fieldResult = readField(field, sentRow[name], storedRecord?.[name], fieldContext);
    if ('rule' in fieldResult) return rowErrorKey(area, name, fieldResult.rule);
    storedFields[name] = fieldResult.storedValue;
  }
  if (
    reference &&
    sentRow[reference.field] !== undefined &&
    !isReferenceFound(storedFields[reference.field], context)
  ) {
    return reference.failure;
  }
  const finishedRow = finish ? finish(storedFields, storedRecord, sentRow) : storedFields;
  if (isBrokenRule(finishedRow)) return rowErrorKey(area, finishedRow.field, finishedRow.rule);
  return { ...storedRecord, ...finishedRow } as StoredRow;
}

/** A missing value keeps the stored value. Null, and a missing value of a new record, become the initial value. */
function readField(
  field: Field,
  value: unknown,
  keptValue: unknown,
  context: FieldContext,
): { readonly storedValue: unknown } | { readonly rule: string } {
  if (value === undefined && keptValue !== undefined) return { storedValue: keptValue };
  if (value === undefined || value === null) {
    return 'initial' in field ? { storedValue: field.initial } : { rule: CANT_BE_BLANK };
  }
  const rule = field.check(value, context);
  return rule === undefined ? { storedValue: field.toStored(value, context) ?? field.initial } : { rule };
}

function isReferenceFound(id: unknown, { referencedIds }: RowContext): boolean {
  return id === null || referencedIds.has(id);
}

function isBrokenRule(result: Row | BrokenRule): result is BrokenRule {
  return 'rule' in result;
}
