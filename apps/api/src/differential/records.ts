import type { Answer } from './answer.js';
import { ECHOES, kindOfId } from './record-kinds.js';
import { Ref, type CallStep } from './steps.js';

export type Fields = Readonly<Record<string, unknown>>;

/** A record as an answer has shown it last. */
export interface KnownRecord {
  /** Its id. */
  readonly ref: Ref;
  readonly fields: Fields;
  /** The latest answer with the most of its fields. */
  readonly at: Ref;
  /** How many fields that answer has. */
  readonly size: number;
  /** The record whose call has shown it. */
  readonly within?: KnownRecord | undefined;
}

function idOf({ fields, ref }: KnownRecord): unknown {
  return fields[ref.at.slice(ref.at.lastIndexOf('.') + 1)];
}

/** Long lists repeat what other answers have shown. */
const MAX_LIST = 50;

/** What the left side has answered so far in one app, as references that both sides can resolve. */
export class Records {
  private readonly kinds = new Map<string, Map<unknown, KnownRecord>>();

  of(kind: string): readonly KnownRecord[] {
    return [...(this.kinds.get(kind)?.values() ?? [])];
  }

  /** The record whose id or other field this is. */
  named(kind: string, ref: unknown): KnownRecord | undefined {
    if (!(ref instanceof Ref)) return undefined;
    const isIn = ({ ref: id, at }: KnownRecord): boolean =>
      (id.step === ref.step && id.at === ref.at) ||
      (at.step === ref.step && `${at.at}.` === ref.at.slice(0, at.at.length + 1));
    return this.of(kind).find(isIn);
  }

  forget(kind: string, ref: unknown): void {
    const record = this.named(kind, ref);
    if (record) this.kinds.get(kind)?.delete(idOf(record));
  }

  /** Notes what an answer has said without showing the record. */
  mark(kind: string, ref: unknown, fields: Fields): void {
    const record = this.named(kind, ref);
    if (record) this.kinds.get(kind)?.set(idOf(record), { ...record, fields: { ...record.fields, ...fields } });
  }

  note(step: CallStep, { status, body }: Answer): void {
    // The places of rows in such a list differ between the sides.
    if (step.isUnordered === true || step.path === '/stock_movements') return;
    if (status >= 300 || typeof body !== 'object' || step.query.some(([name]) => name === 'dry_run')) return;
    this.walk(step, [], body);
  }

  private walk(step: CallStep, path: readonly string[], value: unknown, within?: KnownRecord): void {
    if (Array.isArray(value)) {
      for (const [index, each] of value.slice(0, MAX_LIST).entries())
        this.walk(step, [...path, String(index)], each, within);
    } else if (typeof value === 'object' && value !== null) {
      const own = this.noteObject(step, path, value as Fields, within);
      for (const [name, each] of Object.entries(value)) {
        if (!ECHOES.has(name)) this.walk(step, [...path, name], each, own ?? within);
      }
    }
  }

  private noteObject(
    step: CallStep,
    path: readonly string[],
    fields: Fields,
    within: KnownRecord | undefined,
  ): KnownRecord | undefined {
    const field = typeof fields['id'] === 'number' ? 'id' : 'proforma_order_item_id';
    const id = fields[field];
    const isMatch = path.at(-2) === 'matches' || path.at(-2) === 'others';
    if (typeof id !== 'number' || isMatch) return undefined;
    const kind = kindOfId(step.path, [...path, field], fields);
    if (kind === undefined) return undefined;
    const known = this.kinds.get(kind) ?? new Map<unknown, KnownRecord>();
    this.kinds.set(kind, known);
    const ref = new Ref(step.id, [...path, field].join('.'));
    const before = known.get(id);
    const size = Object.keys(fields).length;
    const isFuller = before === undefined || size >= before.size;
    const noted = {
      ref: before?.ref ?? ref,
      fields: { ...before?.fields, ...fields },
      at: isFuller ? new Ref(step.id, path.join('.')) : before.at,
      size: isFuller ? size : before.size,
      within: within ?? before?.within,
    };
    known.set(id, noted);
    return noted;
  }
}
