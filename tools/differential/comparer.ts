import type { Answer } from './answer.js';
import { comparableEntries } from './audit-pages.js';
import { Bijection } from './bijection.js';
import { feedOf, isRefund, KINDS_OF_SUBJECT, ROUTE_OF_SUBJECT, sortFeeds, subjectOf } from './event-feeds.js';
import { ECHO_FIELDS, kindOfId, kindOfRoute } from './record-kinds.js';
import type { CallStep, Step } from './steps.js';

export interface Difference {
  readonly path: string;
  readonly left: unknown;
  readonly right: unknown;
  readonly why: string;
}

/**
 * Fields whose text the service may generate at random. A random text corresponds to one text of the other side; a text
 * that the client sends is equal on both sides.
 */
const RANDOM_TEXT_FIELDS = new Set([
  'proforma_number',
  'order_number',
  'access_token',
  'request_id',
  'secret',
  'prefix',
  'slug',
  'payment_reference',
]);
/** PostgreSQL numbers the movements of one statement in the order of a hash join, which differs between the sides. */
const STOCK_MOVEMENTS = '/stock_movements';
const SEPARATORS = /([/?=&:;|., "']+)/;
/** These fields are paired first, because other texts of the object may contain their values. */
const FIELDS_COMPARED_FIRST = new Set(['id', 'proforma_number', 'order_number', 'reference']);

const ROUTES_WITH_NUMBERS = new Set(['/orders', '/proforma_orders', '/proforma_orders/stats']);
/** The name of a kept version ends in a random suffix. */
const VERSION_NAME = /^(.+@v\d+-)([\da-f]{32})$/;
/** A search for such a short text may match the random number of a record on one side only. */
const MAY_BE_RANDOM = /^[0-9a-hjkmnp-tv-z-]{0,4}$/i;
/** A search for such a text may match the id in the e-mail of an erased customer, and ids differ between the sides. */
const MAY_BE_ERASED_ID = /^-?\d*@?$/;

/** Whether a search may match random numbers or ids of records, which differ between the sides. */
function maySearchRandomNumbers({ path, query, rawQuery }: CallStep): boolean {
  const pattern = path === '/customers' ? MAY_BE_ERASED_ID : ROUTES_WITH_NUMBERS.has(path) ? MAY_BE_RANDOM : undefined;
  if (pattern === undefined) return false;
  const searches = [...query, ...new URLSearchParams(rawQuery)].filter(([name]) => /^(?:search|.*number)/i.test(name));
  return searches.some(([, text]) => pattern.test(String(text).trim()));
}

const EVENTS = '/events';
/** Entries of the audit log use ids of changed orders as field names. */
const AUDIT_LOG = '/audit_log';
/** A bulk call may publish its events in any order, so only the number of deliveries is compared. */
const DELIVERIES = '/webhook_endpoints/:id/deliveries';
/** Measured durations differ between the sides, so they are not compared. */
const IGNORED_FIELDS = new Set(['latency_ms']);

/** Compares the answers of both sides to each step. Random values must correspond one to one over the whole run. */
export class Comparer {
  private readonly pairs = new Bijection();
  private readonly kinds = new Set<string>();
  private route = '';
  private differences: Difference[] = [];

  compare(step: Step, left: Answer, right: Answer): readonly Difference[] {
    this.route = step.kind === 'call' ? step.path : '';
    this.differences = [];
    if (left.status !== right.status) this.addDifference(['status'], left.status, right.status, 'status');
    else if (step.kind !== 'call' || !maySearchRandomNumbers(step)) {
      const isUnordered = step.kind === 'call' && (step.isUnordered === true || step.path === STOCK_MOVEMENTS);
      const rightBody = isUnordered ? this.sortLike(left.body, right.body) : right.body;
      this.compareValues(['headers'], left.headers, right.headers);
      if (this.route === EVENTS && left.status === 200) {
        this.compareFeeds(left.body, right.body);
        return this.differences;
      }
      if (this.route === AUDIT_LOG && left.status === 200) {
        this.compareAuditPages(left.body, right.body);
        return this.differences;
      }
      // A non-public image is a QR code of a random number, so its bytes differ between the sides.
      if (left.headers['content-type']?.startsWith('image/') !== true || step.kind === 'public')
        this.compareValues([], left.body, rightBody);
    }
    return this.differences;
  }

  /** Background work may change records in any order, so only events of the same record must have the same order. */
  private compareFeeds(left: unknown, right: unknown): void {
    const [leftFeed, rightFeed] = [feedOf(left), feedOf(right)];
    this.compareValues(['data', 'has_more'], leftFeed.has_more, rightFeed.has_more);
    this.compareValues(['data', 'cursor'], leftFeed.cursor, rightFeed.cursor);
    // If more pages follow, this page may end at a different record on each side.
    if (leftFeed.has_more) return;
    const [leftEvents, rightEvents] = sortFeeds(leftFeed, rightFeed, this.pairs);
    this.compareLists(['data', 'events'], leftEvents, rightEvents, []);
  }

  private compareAuditPages(left: unknown, right: unknown): void {
    const [leftRows = [], rightRows = []] = [rowsOf(left), rowsOf(right)];
    this.compareValues(['data', 'length'], leftRows.length, rightRows.length);
    const sortedRows = comparableEntries(leftRows, rightRows, this.pairs);
    this.compareValues([], { ...(left as object), data: sortedRows[0] }, { ...(right as object), data: sortedRows[1] });
  }

  private compareValues(path: readonly string[], left: unknown, right: unknown, owners: readonly unknown[] = []): void {
    if (typeof left !== typeof right || (left === null) !== (right === null) || isList(left) !== isList(right)) {
      this.addDifference(path, left, right, 'type');
    } else if (isList(left)) {
      this.compareLists(path, left, right as readonly unknown[], owners);
    } else if (typeof left === 'object' && left !== null) {
      this.compareObjects(path, left as Fields, right as Fields);
    } else {
      this.compareLeaves(path, left, right, owners);
    }
  }

  private compareLists(
    path: readonly string[],
    left: readonly unknown[],
    right: readonly unknown[],
    owners: readonly unknown[],
  ) {
    if (left.length !== right.length) this.addDifference(path, left.length, right.length, 'length');
    else
      for (const [index, item] of left.entries())
        this.compareValues([...path, String(index)], item, right[index], owners);
  }

  private compareObjects(path: readonly string[], left: Fields, right: Fields): void {
    if (this.route === EVENTS && typeof left['subject'] === 'string') return this.compareEvents(path, left, right);
    this.compareFields(path, left, right);
  }

  /** Compares the records of two events by the rules of the route that shows such records. */
  private compareEvents(path: readonly string[], left: Fields, right: Fields): void {
    const [kind = '', ...ids] = subjectOf(left);
    const [rightKind, ...rightIds] = subjectOf(right);
    const isSameRecord = ids.every((id, index) =>
      this.pairs.pair(KINDS_OF_SUBJECT[kind]?.[index] ?? '', Number(id), Number(rightIds[index])),
    );
    if (kind !== rightKind || !isSameRecord)
      return this.addDifference([...path, 'subject'], left['subject'], right['subject'], 'subject');
    if (!this.pairs.pair('event', left['id'], right['id'])) this.addDifference(path, left['id'], right['id'], 'event');
    if (isRefund(left) && !this.pairs.pair('proforma payments', left['partid'], right['partid']))
      this.addDifference(path, left['partid'], right['partid'], 'partid');
    const hidden = { subject: kind, id: '', sequence: '', ...(isRefund(left) && { partid: 0 }) };
    this.route = ROUTE_OF_SUBJECT[kind] ?? EVENTS;
    this.compareFields(path, { ...left, ...hidden }, { ...right, ...hidden });
    this.route = EVENTS;
  }

  private compareFields(path: readonly string[], left: Fields, right: Fields): void {
    const [leftNames, rightNames] = [Object.keys(left).sort(), Object.keys(right).sort()];
    if (this.route === AUDIT_LOG && [...leftNames, ...rightNames].every((name) => /^\d+$/.test(name)))
      return this.compareLists(path, valuesById(left), valuesById(right), []);
    if (leftNames.join() !== rightNames.join())
      return this.addDifference(path, leftNames.join(), rightNames.join(), 'fields');
    const isCounted = this.route === DELIVERIES && path.length > 1;
    for (const name of isCounted
      ? []
      : [
          ...leftNames.filter((field) => FIELDS_COMPARED_FIRST.has(field)),
          ...leftNames.filter((field) => !FIELDS_COMPARED_FIRST.has(field)),
        ]) {
      if (!IGNORED_FIELDS.has(name)) this.compareValues([...path, name], left[name], right[name], [left, right]);
    }
  }

  private compareLeaves(path: readonly string[], left: unknown, right: unknown, [owner]: readonly unknown[]): void {
    const name = path.findLast((segment) => !/^\d+$/.test(segment)) ?? '';
    const isEcho = path.some((segment) => ECHO_FIELDS.has(segment));
    const kind = isEcho ? undefined : kindOfId(this.route, path, owner);
    if (kind !== undefined && typeof left === 'number') {
      this.kinds.add(kind);
      if (!this.pairs.pair(kind, left, right)) this.addDifference(path, left, right, `another ${kind}`);
    } else if (!isEcho && name.endsWith('data_part') && typeof left === 'number') {
      const recordId = String((owner as Fields)[name.replace(/data_part$/, 'id')]);
      const isSame = this.pairs.pair(`data_part of ${this.route} ${name} ${recordId}`, left, right);
      if (!isSame) this.addDifference(path, left, right, 'data_part');
    } else if (
      left !== right &&
      !(isEcho && this.isSameEcho(name, left, right)) &&
      !this.isSameRandomText(path, name, left, right)
    ) {
      this.addDifference(path, left, right, 'value');
    }
  }

  /** Each side repeats the id or `data_part` that it received, so the repeated values may differ. */
  private isSameEcho(name: string, left: unknown, right: unknown): boolean {
    if (name === 'data_part') return typeof left === 'number' && typeof right === 'number';
    return [...this.kinds].some((kind) => this.pairs.isPair(kind, left, right));
  }

  private isSameRandomText(path: readonly string[], name: string, left: unknown, right: unknown): boolean {
    if (typeof left !== 'string' || typeof right !== 'string') return false;
    const isReference = name === 'reference' && path.includes('payment_instructions');
    if (RANDOM_TEXT_FIELDS.has(name) || isReference)
      return left.length === right.length && this.pairs.pair('text', left, right);
    if (name === 'qr') {
      const [leftQr, rightQr] = [left, right].map((text) => /^(.*)\|RO:(\w+)$/.exec(text) ?? []);
      return leftQr?.[1] === rightQr?.[1] && this.pairs.pair('text', leftQr?.[2], rightQr?.[2]);
    }
    return this.isSameText(left, right);
  }

  /** Whether the texts are equal, apart from random texts that are already paired. */
  private isSameText(left: string, right: string): boolean {
    if (this.pairs.isPair('text', left, right)) return true;
    const [leftParts, rightParts] = [left.split(SEPARATORS), right.split(SEPARATORS)];
    return (
      leftParts.length > 1 &&
      leftParts.length === rightParts.length &&
      leftParts.every((part, index) => {
        const rightPart = rightParts[index] ?? '';
        return part === rightPart || this.pairs.isPair('text', part, rightPart) || this.isSameVersion(part, rightPart);
      })
    );
  }

  private isSameVersion(left: string, right: string): boolean {
    const [leftName, rightName] = [left, right].map((text) => VERSION_NAME.exec(text) ?? []);
    return leftName?.[1] === rightName?.[1] && this.pairs.pair('text', leftName?.[2], rightName?.[2]);
  }

  /** Sorts the rows of the right side in the order of their partners on the left side. */
  private sortLike(left: unknown, right: unknown): unknown {
    const [leftRows, rightRows] = [rowsOf(left), rowsOf(right)];
    if (leftRows === undefined || rightRows === undefined) return right;
    const indexesByKey = new Map<string, number[]>();
    for (const [index, row] of leftRows.entries()) {
      const key = this.keyOf(row, (kind, value) => this.pairs.partner(kind, value) ?? '');
      indexesByKey.set(key, [...(indexesByKey.get(key) ?? []), index]);
    }
    const indexedRows = rightRows.map((row) => {
      const index = indexesByKey.get(this.keyOf(row, (_, value) => String(value)))?.shift() ?? leftRows.length;
      return { row, index };
    });
    const data = indexedRows.sort((a, b) => a.index - b.index).map(({ row }) => row);
    return { ...(right as object), data };
  }

  /** Returns a key that identifies a row, whatever its position in the list. */
  private keyOf(row: Fields, translate: (kind: string, value: unknown) => string): string {
    if (this.route !== STOCK_MOVEMENTS) return translate(kindOfRoute(this.route), row['id']);
    const { booked_at: bookedAt, kind, warehouse_id: warehouse, code, qty, reference } = row;
    // References that clients send have no partner, because they are equal on both sides.
    const translatedReference = typeof reference === 'string' ? translate('text', reference) || reference : '';
    return [bookedAt, kind, translate('warehouse', warehouse), code, qty, translatedReference].join();
  }

  private addDifference(path: readonly string[], left: unknown, right: unknown, why: string): void {
    this.differences.push({ path: path.join('.'), left, right, why });
  }
}

type Fields = Readonly<Record<string, unknown>>;

function rowsOf(body: unknown): readonly Fields[] | undefined {
  const { data } = body as { data?: unknown };
  return isList(data) ? (data as readonly Fields[]) : undefined;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function valuesById(fields: Fields): unknown[] {
  const ids = Object.keys(fields).sort((a, b) => Number(a) - Number(b));
  return ids.map((id) => fields[id]);
}
