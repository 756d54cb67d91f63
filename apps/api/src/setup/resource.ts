import type { Lockable } from '../database/database.js';
import { CANT_BE_BLANK, MALFORMED, orNull } from '../http/request-fields.js';
import { isRow, rowKey } from '../http/row-check.js';
import type { BodyClass } from '../http/validate-body.js';
import type { Field, Reading, Row } from './fields.js';

/** A kind of record that an app sets up itself: written in bulk, matched by code, read as a list. */
export interface Resource {
  /** Path, wrapper and table alike. */
  readonly name: string;
  /** The area of its message keys, and its name in the reference. */
  readonly area: string;
  readonly shapeName: string;
  /** What it is, for the reference. */
  readonly what: string;
  /** `code` is one of them. */
  readonly fields: Readonly<Record<string, Field>>;
  /** Columns that are shown, but written by something else. */
  readonly readOnly?: Readonly<Record<string, Pick<Field, 'shape' | 'toShown'>>>;
  /** The request body; its one field carries the wrapper's name. */
  readonly body: BodyClass;
  /** Rows of it are locked by other calls too, as this kind. */
  readonly lockedAs?: Lockable;
  /** A record that a field names by id. */
  readonly reference?: { readonly field: string; readonly table: string; readonly failure: string };
  /** How many records with these values an app may have whose end has not come. */
  readonly most?: {
    readonly count: number;
    readonly among: Readonly<Record<string, boolean | null>>;
    readonly ends: string;
    readonly failure: string;
  };
  /** Fields that `finish` asks for in some records. */
  readonly sometimesRequired?: readonly string[];
  /** The record as it will be stored, or the rule that its fields break together. `before` is what was stored. */
  readonly finish?: (next: Row, before: Row | undefined, sent: Row) => Row | Broken;
}

/** A broken rule: the field it is about, and the rule's text. */
export interface Broken {
  readonly field: string;
  readonly rule: string;
}

export interface StoredRow extends Row {
  readonly code: string;
}

export function setUpBody({ fields }: Pick<Resource, 'fields'>) {
  const properties = Object.fromEntries(
    Object.entries(fields).map(([name, { sent, ...field }]) => [name, 'initial' in field ? orNull(sent) : sent]),
  );
  return { type: 'array' as const, maxItems: 10_000, items: { type: 'object' as const, properties } };
}

/** What a row is read on top of: the records by code as they will be, and the ids that rows may name. */
export interface Ground {
  readonly app: Reading['app'];
  readonly next: ReadonlyMap<string, StoredRow>;
  readonly referenced: ReadonlySet<unknown>;
}

/** The record as a row of the call will leave it, or the key of the first rule that the row breaks. */
export function readRow(resource: Resource, sent: unknown, ground: Ground): StoredRow | string {
  const { area, fields, reference, finish } = resource;
  if (!isRow(sent)) return rowKey(area, '', MALFORMED);
  const before = typeof sent['code'] === 'string' ? ground.next.get(sent['code']) : undefined;
  const stored: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const read = readField(field, sent[name], before?.[name], { app: ground.app, row: { ...before, ...sent } });
    if ('rule' in read) return rowKey(area, name, read.rule);
    stored[name] = read.stored;
  }
  if (reference && sent[reference.field] !== undefined && !isKnown(stored[reference.field], ground)) {
    return reference.failure;
  }
  const finished = finish ? finish(stored, before, sent) : stored;
  if (isBroken(finished)) return rowKey(area, finished.field, finished.rule);
  return { ...before, ...finished } as StoredRow;
}

/** A field that is not sent keeps its value, one that is sent as null gets its initial one. */
function readField(
  field: Field,
  value: unknown,
  kept: unknown,
  reading: Reading,
): { readonly stored: unknown } | { readonly rule: string } {
  if (value === undefined && kept !== undefined) return { stored: kept };
  if (value === undefined || value === null) {
    return 'initial' in field ? { stored: field.initial } : { rule: CANT_BE_BLANK };
  }
  const rule = field.wrong(value, reading);
  return rule === undefined ? { stored: field.toStored(value, reading) ?? field.initial } : { rule };
}

function isKnown(id: unknown, { referenced }: Ground): boolean {
  return id === null || referenced.has(id);
}

function isBroken(outcome: Row | Broken): outcome is Broken {
  return 'rule' in outcome;
}
