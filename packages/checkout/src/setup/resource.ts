import { CANT_BE_BLANK, isRow, MALFORMED, rowErrorKey, type RowOutcome } from '@back-office/kernel';
import type { Field, FieldContext, Row } from './fields.js';

/** A kind of record that an app sets up in bulk, matched by code. */
export interface Resource {
  readonly area: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** A field that names another record by id. */
  readonly reference?: { readonly field: string; readonly failure: string };
  /** Maximum number of records of an app with these values that have not ended. */
  readonly limit?: {
    readonly count: number;
    readonly where: Readonly<Record<string, boolean | null>>;
    readonly endColumn: string;
    readonly failure: string;
  };
  /** Fields that `finish` requires in some records. */
  readonly sometimesRequired?: readonly string[];
  /** Returns the record to store, or the rule that its fields break together. `before` is the stored record. */
  readonly finish?: (next: Row, before: Row | undefined, sent: Row) => Row | BrokenRule;
}

export interface BrokenRule {
  readonly field: string;
  readonly rule: string;
}

export interface StoredRow extends Row {
  readonly code: string;
}

/** The records that rows name by code, and the ids that rows can name. */
export interface FoundSetUp {
  readonly app: FieldContext['app'];
  readonly records: readonly StoredRow[];
  readonly referenced: ReadonlySet<unknown>;
}

export interface SetUpPlan {
  /** One per row, in input order. */
  readonly outcomes: readonly RowOutcome<StoredRow>[];
  /** The found records after all rows, and the new ones. */
  readonly records: readonly StoredRow[];
}

/** Plans the rows in order, each on top of the earlier ones. Rows are matched by code alone. */
export function planSetUp(
  resource: Resource,
  rows: readonly unknown[],
  { app, records, referenced }: FoundSetUp,
): SetUpPlan {
  const next = new Map(records.map((row) => [row.code, row]));
  const outcomes = rows.map((sent) => {
    const planned = planRow(resource, sent, { app, next, referenced });
    if (typeof planned !== 'string') next.set(planned.code, planned);
    return planned;
  });
  return { outcomes, records: [...next.values()] };
}

/** Context of a row: the records by code after the earlier rows. */
interface RowContext extends Omit<FoundSetUp, 'records'> {
  readonly next: ReadonlyMap<string, StoredRow>;
}

function planRow(resource: Resource, sent: unknown, context: RowContext): RowOutcome<StoredRow> {
  const { area, fields, reference, finish } = resource;
  if (!isRow(sent)) return rowErrorKey(area, '', MALFORMED);
  const before = typeof sent['code'] === 'string' ? context.next.get(sent['code']) : undefined;
  const stored: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const read = readField(field, sent[name], before?.[name], { app: context.app, row: { ...before, ...sent } });
    if ('rule' in read) return rowErrorKey(area, name, read.rule);
    stored[name] = read.stored;
  }
  if (reference && sent[reference.field] !== undefined && !isKnown(stored[reference.field], context)) {
    return reference.failure;
  }
  const finished = finish ? finish(stored, before, sent) : stored;
  if (isBroken(finished)) return rowErrorKey(area, finished.field, finished.rule);
  return { ...before, ...finished } as StoredRow;
}

/** A missing field keeps its value; null resets it to the initial one. */
function readField(
  field: Field,
  value: unknown,
  kept: unknown,
  context: FieldContext,
): { readonly stored: unknown } | { readonly rule: string } {
  if (value === undefined && kept !== undefined) return { stored: kept };
  if (value === undefined || value === null) {
    return 'initial' in field ? { stored: field.initial } : { rule: CANT_BE_BLANK };
  }
  const rule = field.check(value, context);
  return rule === undefined ? { stored: field.toStored(value, context) ?? field.initial } : { rule };
}

function isKnown(id: unknown, { referenced }: RowContext): boolean {
  return id === null || referenced.has(id);
}

function isBroken(outcome: Row | BrokenRule): outcome is BrokenRule {
  return 'rule' in outcome;
}
