import type { Answer } from './answer.js';
import { ECHOES, kindOfId, kindOfRoute } from './record-kinds.js';
import type { CallStep, Step } from './steps.js';

/** Where the two answers to a step disagree. */
export interface Difference {
  readonly at: string;
  readonly left: unknown;
  readonly right: unknown;
  readonly why: string;
}

/** Drawn texts. Where a client may give one, both sides have the same. */
const DRAWN_TEXTS = new Set(['proforma_number', 'order_number', 'access_token', 'prefix', 'slug', 'payment_reference']);
/**
 * PostgreSQL numbers the movements of one statement, and their lines, in the order of a hash join. That order follows the
 * hash of the drawn number that they refer to.
 */
const STOCK_MOVEMENTS = '/stock_movements';
const SEPARATORS = /([/?=&:;|., "']+)/;
/** What texts beside them repeat. */
const FIRST = new Set(['id', 'proforma_number', 'order_number', 'reference']);

/** Which values of the two sides stand for the same thing, over a whole run. */
class Bijection {
  private readonly toRight = new Map<string, string>();
  private readonly toLeft = new Map<string, string>();

  /** Whether the two are partners, or become partners since neither has one yet. */
  pair(kind: string, left: unknown, right: unknown): boolean {
    const [mine, other] = [`${kind} ${String(left)}`, `${kind} ${String(right)}`];
    const [knownRight, knownLeft] = [this.toRight.get(mine), this.toLeft.get(other)];
    if (knownRight === undefined && knownLeft === undefined) {
      this.toRight.set(mine, other);
      this.toLeft.set(other, mine);
      return true;
    }
    return knownRight === other && knownLeft === mine;
  }

  isPair(kind: string, left: unknown, right: unknown): boolean {
    return this.toRight.get(`${kind} ${String(left)}`) === `${kind} ${String(right)}`;
  }

  partner(kind: string, left: unknown): string | undefined {
    return this.toRight.get(`${kind} ${String(left)}`)?.slice(kind.length + 1);
  }
}

const NUMBERED = new Set(['/orders', '/proforma_orders', '/proforma_orders/stats']);
/** Few of the signs that numbers are drawn from: some number may hold them by chance. */
const MAY_BE_DRAWN = /^[0-9a-hjkmnp-tv-z-]{0,4}$/i;

/** Whether a search may find records by what was drawn for their numbers. */
function searchesDrawnNumbers({ path, query, rawQuery }: CallStep): boolean {
  if (!NUMBERED.has(path)) return false;
  const searches = [...query, ...new URLSearchParams(rawQuery)].filter(([name]) => /^(?:search|.*number)/i.test(name));
  return searches.some(([, text]) => typeof text === 'string' && MAY_BE_DRAWN.test(text.trim()));
}

/** Compares the answers to the same steps. What is drawn at random has to correspond one to one over the whole run. */
export class Comparer {
  private readonly known = new Bijection();
  private readonly kinds = new Set<string>();
  private route = '';
  private found: Difference[] = [];

  /** The first differences. */
  compare(step: Step, left: Answer, right: Answer): readonly Difference[] {
    this.route = step.kind === 'call' ? step.path : '';
    this.found = [];
    if (left.status !== right.status) this.differ(['status'], left.status, right.status, 'status');
    else if (step.kind !== 'call' || !searchesDrawnNumbers(step)) {
      const isUnordered = step.kind === 'call' && (step.isUnordered === true || step.path === STOCK_MOVEMENTS);
      const rightBody = isUnordered ? this.inOrderOf(left.body, right.body) : right.body;
      this.values(['headers'], left.headers, right.headers);
      // A code that shows a drawn number.
      if (left.headers['content-type']?.startsWith('image/') !== true || step.kind === 'public')
        this.values([], left.body, rightBody);
    }
    return this.found;
  }

  private values(path: readonly string[], left: unknown, right: unknown, owners: readonly unknown[] = []): void {
    if (typeof left !== typeof right || (left === null) !== (right === null) || isList(left) !== isList(right)) {
      this.differ(path, left, right, 'type');
    } else if (isList(left)) {
      this.lists(path, left, right as readonly unknown[], owners);
    } else if (typeof left === 'object' && left !== null) {
      this.objects(path, left as Fields, right as Fields);
    } else {
      this.leaves(path, left, right, owners);
    }
  }

  private lists(
    path: readonly string[],
    left: readonly unknown[],
    right: readonly unknown[],
    owners: readonly unknown[],
  ) {
    if (left.length !== right.length) this.differ(path, left.length, right.length, 'length');
    else for (const [index, each] of left.entries()) this.values([...path, String(index)], each, right[index], owners);
  }

  private objects(path: readonly string[], left: Fields, right: Fields): void {
    const [mine, other] = [Object.keys(left).sort(), Object.keys(right).sort()];
    if (mine.join() !== other.join()) return this.differ(path, mine.join(), other.join(), 'fields');
    for (const name of [...mine.filter((each) => FIRST.has(each)), ...mine.filter((each) => !FIRST.has(each))]) {
      this.values([...path, name], left[name], right[name], [left, right]);
    }
  }

  private leaves(path: readonly string[], left: unknown, right: unknown, [owner]: readonly unknown[]): void {
    const name = path.findLast((each) => !/^\d+$/.test(each)) ?? '';
    const isEcho = path.some((each) => ECHOES.has(each));
    const kind = isEcho ? undefined : kindOfId(this.route, path, owner);
    if (kind !== undefined && typeof left === 'number') {
      this.kinds.add(kind);
      if (!this.known.pair(kind, left, right)) this.differ(path, left, right, `another ${kind}`);
    } else if (!isEcho && name.endsWith('data_part') && typeof left === 'number') {
      const of = String((owner as Fields)[name.replace(/data_part$/, 'id')]);
      const isSame = this.known.pair(`data_part of ${this.route} ${name} ${of}`, left, right);
      if (!isSame) this.differ(path, left, right, 'data_part');
    } else if (
      left !== right &&
      !(isEcho && this.isEchoed(name, left, right)) &&
      !this.isDrawn(path, name, left, right)
    ) {
      this.differ(path, left, right, 'value');
    }
  }

  /** Each side repeats its own id or part that it was sent. */
  private isEchoed(name: string, left: unknown, right: unknown): boolean {
    if (name === 'data_part') return typeof left === 'number' && typeof right === 'number';
    return [...this.kinds].some((kind) => this.known.isPair(kind, left, right));
  }

  private isDrawn(path: readonly string[], name: string, left: unknown, right: unknown): boolean {
    if (typeof left !== 'string' || typeof right !== 'string') return false;
    const isReference = name === 'reference' && path.includes('payment_instructions');
    if (DRAWN_TEXTS.has(name) || isReference)
      return left.length === right.length && this.known.pair('text', left, right);
    if (name === 'qr') {
      const [mine, other] = [left, right].map((each) => /^(.*)\|RO:(\w+)$/.exec(each) ?? []);
      return mine?.[1] === other?.[1] && this.known.pair('text', mine?.[2], other?.[2]);
    }
    return this.isSameText(left, right);
  }

  /** The same but for drawn texts that are known from elsewhere. */
  private isSameText(left: string, right: string): boolean {
    if (this.known.isPair('text', left, right)) return true;
    const [mine, other] = [left.split(SEPARATORS), right.split(SEPARATORS)];
    return (
      mine.length > 1 &&
      mine.length === other.length &&
      mine.every((part, index) => part === other[index] || this.known.isPair('text', part, other[index]))
    );
  }

  /** The rows of the right in the order of their partners on the left. */
  private inOrderOf(left: unknown, right: unknown): unknown {
    const [mine, other] = [rowsOf(left), rowsOf(right)];
    if (mine === undefined || other === undefined) return right;
    const places = new Map<string, number[]>();
    for (const [index, row] of mine.entries()) {
      const key = this.keyOf(row, (kind, value) => this.known.partner(kind, value) ?? '');
      places.set(key, [...(places.get(key) ?? []), index]);
    }
    const placed = other.map((row) => {
      const place = places.get(this.keyOf(row, (_, value) => String(value)))?.shift() ?? mine.length;
      return { row, place };
    });
    const data = placed.sort((one, another) => one.place - another.place).map(({ row }) => row);
    return { ...(right as object), data };
  }

  /** What tells a row apart from others that may have changed places with it. */
  private keyOf(row: Fields, translated: (kind: string, value: unknown) => string): string {
    if (this.route !== STOCK_MOVEMENTS) return translated(kindOfRoute(this.route), row['id']);
    const { booked_at: at, kind, warehouse_id: warehouse, code, qty, reference } = row;
    const drawn = reference === null ? '' : translated('text', reference);
    return [at, kind, translated('warehouse', warehouse), code, qty, drawn].join();
  }

  private differ(path: readonly string[], left: unknown, right: unknown, why: string): void {
    this.found.push({ at: path.join('.'), left, right, why });
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
