import type { Answer } from './answer.js';
import { ECHO_FIELDS, kindOfId } from './record-kinds.js';
import { Ref, type CallStep } from './steps.js';

export type Fields = Readonly<Record<string, unknown>>;

/** A record with the fields that answers have shown so far. */
export interface KnownRecord {
  /** The id of the record. */
  readonly ref: Ref;
  readonly fields: Fields;
  /** Reference to the object of an answer that shows the most fields of the record; the latest such object. */
  readonly source: Ref;
  readonly size: number;
  /** The record that contained this record in the answer. */
  readonly parent?: KnownRecord | undefined;
}

function idOf({ fields, ref }: KnownRecord): unknown {
  return fields[ref.path.slice(ref.path.lastIndexOf('.') + 1)];
}

/** Further items of a long list are ignored, because other answers show the same records. */
const MAX_LIST = 50;

/** Records of one app, collected from the answers of the left side. Both sides can resolve their references. */
export class ShownRecords {
  private readonly recordsByKind = new Map<string, Map<unknown, KnownRecord>>();

  of(kind: string): readonly KnownRecord[] {
    return [...(this.recordsByKind.get(kind)?.values() ?? [])];
  }

  /** Finds the record by a reference to any of its fields, such as its id. */
  find(kind: string, ref: unknown): KnownRecord | undefined {
    if (!(ref instanceof Ref)) return undefined;
    const refersTo = ({ ref: id, source }: KnownRecord): boolean =>
      (id.step === ref.step && id.path === ref.path) ||
      (source.step === ref.step && `${source.path}.` === ref.path.slice(0, source.path.length + 1));
    return this.of(kind).find(refersTo);
  }

  forget(kind: string, ref: unknown): void {
    const record = this.find(kind, ref);
    if (record) this.recordsByKind.get(kind)?.delete(idOf(record));
  }

  /** Adds fields that an answer implies but does not show. */
  update(kind: string, ref: unknown, fields: Fields): void {
    const record = this.find(kind, ref);
    if (record) this.recordsByKind.get(kind)?.set(idOf(record), { ...record, fields: { ...record.fields, ...fields } });
  }

  learn(step: CallStep, { status, body }: Answer): void {
    // The order of these lists differs between the sides, so an index would refer to different records.
    if (step.isUnordered === true || step.path === '/stock_movements') return;
    // The route of a feed does not tell the kinds of the records in its events.
    if (step.path === '/events') return;
    // The list shows more fields of a session than the answer with its token, and would replace that answer.
    if (step.path === '/sessions' && step.method === 'get') return;
    if (status >= 300 || typeof body !== 'object' || step.query.some(([name]) => name === 'dry_run')) return;
    this.walk(step, [], body);
  }

  private walk(step: CallStep, path: readonly string[], value: unknown, parent?: KnownRecord): void {
    if (Array.isArray(value)) {
      for (const [index, item] of value.slice(0, MAX_LIST).entries())
        this.walk(step, [...path, String(index)], item, parent);
    } else if (typeof value === 'object' && value !== null) {
      const nestedRecord = this.learnObject(step, path, value as Fields, parent);
      for (const [name, item] of Object.entries(value)) {
        if (!ECHO_FIELDS.has(name)) this.walk(step, [...path, name], item, nestedRecord ?? parent);
      }
    }
  }

  private learnObject(
    step: CallStep,
    path: readonly string[],
    fields: Fields,
    parent: KnownRecord | undefined,
  ): KnownRecord | undefined {
    const field = typeof fields['id'] === 'number' ? 'id' : 'proforma_order_item_id';
    const id = fields[field];
    const isMatch = path.at(-2) === 'matches' || path.at(-2) === 'others';
    if (typeof id !== 'number' || isMatch) return undefined;
    const kind = kindOfId(step.path, [...path, field], fields);
    if (kind === undefined) return undefined;
    const knownRecords = this.recordsByKind.get(kind) ?? new Map<unknown, KnownRecord>();
    this.recordsByKind.set(kind, knownRecords);
    const ref = new Ref(step.id, [...path, field].join('.'));
    const previous = knownRecords.get(id);
    const size = Object.keys(fields).length;
    const isFuller = previous === undefined || size >= previous.size;
    const record = {
      ref: previous?.ref ?? ref,
      fields: { ...previous?.fields, ...fields },
      source: isFuller ? new Ref(step.id, path.join('.')) : previous.source,
      size: isFuller ? size : previous.size,
      parent: parent ?? previous?.parent,
    };
    knownRecords.set(id, record);
    return record;
  }
}
