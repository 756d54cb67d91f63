import type { Route } from '../../apps/api/src/http/route.js';
import {
  BROKEN_JSON,
  HOSTILE_IDS,
  HOSTILE_QUERIES,
  HOSTILE_VALUES,
  UNDECODABLE_IDS,
} from '../../apps/api/src/testing/hostile-values.js';
import type { Answer } from './answer.js';
import { fileIds, isRandomOrder, QUERY_VALUES, ROUTES_SEARCHING_RANDOM_TEXT, type Material } from './field-values.js';
import { kindOfRoute } from './record-kinds.js';
import { ShownRecords, type Fields, type KnownRecord } from './records.js';
import { SchemaBodies } from './schema-bodies.js';
import { SeededRandom } from './seeded-random.js';
import { ABSENT_ID, Ref, type CallStep, type FormFile, type Step } from './steps.js';

type Call = Omit<CallStep, 'kind' | 'id' | 'app' | 'method' | 'path'>;

const SET_UP = [
  'patch /app/settings',
  'put /warehouse',
  'put /warehouse',
  'post /int/products',
  'post /int/products',
  'post /int/products',
  'put /int/stocks',
  'put /int/stocks',
  'get /payment_methods',
  'put /cdn_upload_presets',
  'post /int/app_locations',
  'post /customers',
  'post /customers',
  'post /sessions',
  'put /vouchers',
  'put /promotions',
  'put /shipment_methods',
];

/** A route without an entry has the {@link USUAL_WEIGHT}. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'post /order_processings': 55,
  'post /proforma_orders': 60,
  'post /proforma_orders/:id/pay': 40,
  'post /proforma_orders/:id/warehouse_confirm': 35,
  'post /proforma_orders/:id/convert': 30,
  'post /proforma_orders/:id/card_payments': 18,
  'post /proforma_orders/:id/card_payments/:payment_id/result': 18,
  'post /proforma_orders/:id/refunds/:refund_id/record': 14,
  'post /proforma_orders/:id/refunds/:refund_id/retry': 14,
  'get /proforma_orders': 20,
  'get /proforma_orders/:id': 40,
  'put /orders/bulk_update': 30,
  'get /orders': 20,
  'get /products': 30,
  'put /int/stocks': 30,
  'post /cdn/files': 30,
  'post /cdn/files/:id/replace': 15,
  'get /cdn/files': 20,
  'post /sessions': 12,
  'delete /sessions/current': 3,
  'put /warehouse': 6,
  'patch /app/settings': 4,
  'delete /cdn/folder': 5,
};
const USUAL_WEIGHT = 10;
const UNREACHED_FACTOR = 3;

const APPS: readonly (readonly [name: string, currency: string, share: number])[] = [
  ['A', 'RSD', 6],
  ['B', 'EUR', 3],
  ['C', 'RSD', 1],
];
const START_MS = Date.parse('2026-11-21T10:00:00Z');
const CLOCK_STEPS = [1, 1, 59, 59, 600, 600, 600, 600, 3_600, 3_600, 21_600, 86_400, 259_200];
const RECENT_COUNT = 6;

const CHANCES = {
  clock: 0.012,
  jobs: 0.015,
  chores: 0.012,
  public: 0.012,
  repeatKeyedCall: 0.012,
  hostile: 0.13,
  keyed: 0.06,
  foreignRecords: 0.02,
  wrongToken: 0.015,
  query: 0.3,
  final: 0.12,
};

interface Shop {
  readonly name: string;
  readonly records: ShownRecords;
  calls: number;
}

/** Generates steps one at a time. Learns which records exist from the answers of one side. */
export class Generator {
  private readonly random: SeededRandom;
  private readonly bodies: SchemaBodies;
  private readonly shops: Shop[] = [];
  private readonly keyedCalls: CallStep[] = [];
  private readonly succeededRoutes = new Set<string>();
  private now = START_MS;
  private id = -1;

  constructor(
    seed: number,
    private readonly routes: readonly Route[],
  ) {
    this.random = new SeededRandom(seed);
    this.bodies = new SchemaBodies(routes);
  }

  next(): Step {
    this.id += 1;
    const { id, random } = this;
    const [name, currency] = APPS[id] ?? [];
    if (name !== undefined && currency !== undefined) {
      this.shops.push({ name, records: new ShownRecords(), calls: 0 });
      return { kind: 'app', id, app: name, currency };
    }
    if (random.chance(CHANCES.clock)) {
      const seconds = random.pick(CLOCK_STEPS);
      this.now += seconds * 1_000;
      return { kind: 'clock', id, seconds };
    }
    if (random.chance(CHANCES.jobs)) return { kind: 'jobs', id };
    if (random.chance(CHANCES.chores)) return { kind: 'chores', id };
    const shop = random.weighted(
      this.shops,
      ({ name: shopName }) => APPS.find(([appName]) => appName === shopName)?.[2] ?? 0,
    );
    const url = random.chance(CHANCES.public) ? this.publicUrl(shop) : undefined;
    if (url) return { kind: 'public', id, url };
    if (this.keyedCalls.length > 0 && random.chance(CHANCES.repeatKeyedCall)) return this.repeat();
    return this.makeCall(shop);
  }

  learn(step: Step, answer: Answer): void {
    if (step.kind !== 'call') return;
    if (answer.status < 300) this.succeededRoutes.add(nameOf(step));
    if (step.idempotencyKey !== undefined) this.keyedCalls.push(step);
    const shop = this.shops.find(({ name }) => name === step.app);
    if (!shop) return;
    shop.records.learn(step, answer);
    learnEffects(shop.records, step, answer);
  }

  private makeCall(shop: Shop): CallStep {
    const { random } = this;
    const setUp = SET_UP[shop.calls];
    shop.calls += 1;
    const route =
      setUp === undefined
        ? this.routeFor(shop)
        : (this.routes.find((candidate) => nameOf(candidate) === setUp) as Route);
    const recordOwner = random.chance(CHANCES.foreignRecords) ? random.pick(this.shops) : shop;
    const material: Material = { random, records: recordOwner.records, serial: this.id };
    const { method, path } = route;
    const call: CallStep = {
      kind: 'call',
      id: this.id,
      app: shop.name,
      method,
      path,
      params: this.paramsOf(route, material),
      query: this.queryOf(route, material, setUp !== undefined),
      ...(route.body && this.hasBody(route) && { body: this.bodies.bodyOf(route, material) }),
      ...this.tokenOf(route, shop),
      ...(route.method !== 'get' && random.chance(CHANCES.keyed) && { idempotencyKey: `key ${this.id}` }),
    };
    const fittedCall = { ...call, ...this.fitFields(route, call, material) };
    const isUnordered = fittedCall.query.some(
      ([name, value]) => /^order_?by$/i.test(name) && isRandomOrder(path, value),
    );
    const comparableCall = isUnordered
      ? { ...fittedCall, isUnordered, query: withoutPage(fittedCall.query) }
      : fittedCall;
    return setUp === undefined && random.chance(CHANCES.hostile)
      ? this.addHostileValue(route, comparableCall)
      : comparableCall;
  }

  /** Draws a route, and up to five others while no record exists for its path parameter. */
  private routeFor({ records }: Shop): Route {
    const draw = (): Route => this.random.weighted(this.routes, (candidate) => this.weightOf(candidate));
    let route = draw();
    for (let tries = 0; tries < 5 && !this.hasRecord(route, records); tries += 1) route = draw();
    return this.precondition(route, records) ?? route;
  }

  /** Returns the route that creates the missing proforma or evaluation for `route`, except in a random few cases. */
  private precondition(route: Route, records: ShownRecords): Route | undefined {
    if (this.random.chance(CHANCES.final)) return undefined;
    const routeNamed = (name: string): Route | undefined => this.routes.find((candidate) => nameOf(candidate) === name);
    const isAction = route.path.startsWith('/proforma_orders/:id') && route.method !== 'get';
    const hasOpenProforma = records.of('proforma').some(({ fields }) => this.isOpen(fields));
    const needsEvaluation = nameOf(route) === 'post /proforma_orders' || (isAction && !hasOpenProforma);
    if (!needsEvaluation) return undefined;
    return this.freshEvaluations(records).length > 0
      ? routeNamed('post /proforma_orders')
      : routeNamed('post /order_processings');
  }

  private isOpen(fields: Fields): boolean {
    return fields['proforma_status_final'] === false && this.isInFuture(fields['expires_at']);
  }

  private isInFuture(time: unknown): boolean {
    return Date.parse(`${String(time)}Z`) > this.now;
  }

  /** Evaluations that are unused and have not expired. */
  private freshEvaluations(records: ShownRecords): readonly KnownRecord[] {
    const usedIds = new Set(records.of('proforma').map(({ fields }) => fields['order_processing_id']));
    return records
      .of('evaluation')
      .filter(
        ({ fields }) => !usedIds.has(fields['id']) && fields['used'] !== true && this.isInFuture(fields['expires_at']),
      );
  }

  private hasRecord(route: Route, records: ShownRecords): boolean {
    return (
      !route.path.includes(':id') || records.of(kindOfRecord(route.path)).some((record) => this.suits(route, record))
    );
  }

  private weightOf(route: Route): number {
    const weight = WEIGHTS[nameOf(route)] ?? USUAL_WEIGHT;
    return this.succeededRoutes.has(nameOf(route)) ? weight : weight * UNREACHED_FACTOR;
  }

  private hasBody({ bodyOptional, path }: Route): boolean {
    return bodyOptional !== true || this.random.chance(path.endsWith('/revert') ? 0.95 : 0.6);
  }

  /** Repeats an earlier call with its idempotency key, sometimes with a different body. */
  private repeat(): CallStep {
    const originalCall = this.random.pick(this.keyedCalls.slice(-20));
    const isChanged = this.random.chance(0.25) && originalCall.body !== undefined;
    const body = isChanged ? { ...(originalCall.body as object), changed: true } : originalCall.body;
    return { ...originalCall, id: this.id, ...(body !== undefined && { body }) };
  }

  private publicUrl({ records }: Shop): Ref | undefined {
    const files = records.of('file').filter(({ fields }) => typeof fields['url'] === 'string');
    if (files.length === 0) return undefined;
    const { source, fields } = this.random.pick(files);
    const renditions = (fields['renditions'] ?? []) as readonly unknown[];
    return renditions.length > 0 && this.random.chance(0.5) ? source.below('renditions.0.url') : source.below('url');
  }

  private tokenOf({ caller }: Route, shop: Shop): Pick<Call, 'token'> {
    const { random } = this;
    if (random.chance(CHANCES.wrongToken)) {
      const sessions = random.pick(this.shops).records.of('session');
      return {
        token: sessions.length > 0 && random.chance(0.5) ? random.pick(sessions).source.below('access_token') : 'x',
      };
    }
    if (caller === 'app' || caller === 'public') return {};
    const isUsable = ({ fields }: KnownRecord): boolean =>
      typeof fields['access_token'] === 'string' && (caller === 'session' || fields['customer_id'] !== null);
    const sessions = shop.records.of('session').filter(isUsable);
    // Older sessions have often expired.
    return { token: sessions.length > 0 ? random.pick(sessions.slice(-2)).source.below('access_token') : 'none yet' };
  }

  private paramsOf(route: Route, material: Material): Fields {
    if (!route.path.includes(':id')) return {};
    const { random, records } = material;
    const suitable = records.of(kindOfRecord(route.path)).filter((record) => this.suits(route, record));
    const isAction =
      route.path.startsWith('/proforma_orders') && route.method !== 'get' && !/refund|result/.test(route.path);
    const isOpen = ({ fields }: KnownRecord): boolean => !isAction || this.isOpen(fields);
    const preferred = random.chance(CHANCES.final) ? suitable : suitable.filter(isOpen);
    const candidates = preferred.length > 0 ? preferred : suitable;
    if (candidates.length === 0 || random.chance(0.02)) return this.missingParams(route);
    const record = random.pick(random.chance(0.7) ? candidates.slice(-RECENT_COUNT) : candidates);
    const payment = this.paymentOf(route, record, material);
    return { id: record.ref, payment_id: payment, refund_id: payment, version: random.pick([1, 1, 2]) };
  }

  private missingParams({ path }: Route): Fields {
    return Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, ABSENT_ID]));
  }

  private suits({ path, method }: Route, { fields }: Pick<KnownRecord, 'fields'>): boolean {
    const isTrashed = !isKept({ fields });
    const payments = (fields['payments'] ?? []) as readonly {
      amount: number;
      payment_status: string;
      finalized: boolean;
    }[];
    const { random } = this;
    // A change of the token that sends the calls would end the run.
    if (path.startsWith('/access_tokens')) return fields['current'] === false;
    if (path.includes('/restore') || (path.includes('/purge') && method === 'delete'))
      return isTrashed || random.chance(0.03);
    if (/\/revert$|\/:version$/.test(path) && !(Number(fields['version']) > 1)) return random.chance(0.1);
    if (path.startsWith('/cdn/files')) return !isTrashed || random.chance(0.05);
    if (path.includes('/refunds/')) return payments.some(({ amount }) => amount < 0) || random.chance(0.01);
    if (path.includes('/result')) return 'card_payment' in fields || random.chance(0.01);
    return !/\/(?:customers|orders)\/:id/.test(path) || 'data_part' in fields;
  }

  /** Returns the card payment for a call that reports its result, and a refund for all other calls. */
  private paymentOf({ path }: Route, { source, fields }: KnownRecord, { random }: Material): unknown {
    const payments = (fields['payments'] ?? []) as readonly { amount: number; finalized: boolean }[];
    if (path.includes('/result') && 'card_payment' in fields) return fields['card_payment'];
    const refunds = [...payments.entries()].filter(([, { amount }]) => amount < 0);
    const openRefunds = refunds.filter(([, { finalized }]) => !finalized);
    if (refunds.length === 0) return ABSENT_ID;
    const [index] = random.pick(openRefunds.length > 0 && random.chance(0.9) ? openRefunds : refunds);
    return source.below(`payments.${index}.id`);
  }

  private queryOf(route: Route, material: Material, isSetUp: boolean): CallStep['query'] {
    const { random } = material;
    return Object.entries(route.query ?? {}).flatMap(([name, { required }]) => {
      const isNeeded = required === true || nameOf(route) === 'delete /cdn/folder';
      if (!isNeeded && (isSetUp || !random.chance(name === 'dry_run' ? 0.1 : CHANCES.query))) return [];
      const make = QUERY_VALUES[`${route.path} ${name}`] ?? QUERY_VALUES[name];
      const value = make?.(material);
      return value === undefined ? [] : [[name, value] as const];
    });
  }

  /** Adjusts fields of a call that depend on each other. */
  private fitFields(route: Route, call: CallStep, material: Material): Partial<CallStep> {
    const { random, records } = material;
    const body = call.body as Fields | undefined;
    const { path, method } = route;
    if (route.query?.['dataPart']?.required) return { query: withParts(call, records) };
    if (route.upload) return { file: this.fileOf(random) };
    if (path === '/order_processings')
      return { body: { order_processing: this.basketOf(body, 'order_processing', material) } };
    if (path === '/int/stocks') return { body: { stocks: this.stockRows(body, material) } };
    if (path === '/sessions' && method === 'post')
      return { body: { session: this.withCustomer(body?.['session'] as Fields, material, 0.75) } };
    if (path === '/int/cards') return { body: { card: this.withCustomer(body?.['card'] as Fields, material, 0.6) } };
    if (path === '/int/orders') {
      const order = this.withCustomer(body?.['order'] as Fields, material, 0.4);
      return { body: { order: { ...order, items: this.items(order['items'], material) } } };
    }
    if (path === '/int/product_attributes')
      return { body: { product_attributes: this.attributeRows(body?.['product_attributes'], material) } };
    if (path === '/proforma_orders' && method === 'post')
      return { body: { order_processing_id: this.evaluationId(records) } };
    if (path.endsWith('/pay') || path.endsWith('/card_payments'))
      return { body: this.paymentBody(call, body, material) };
    if (path.endsWith('/warehouse_confirm') && body) return { body: this.adjustmentsBody(call, material) };
    if (path === '/orders/bulk_update') return { body: { orders: this.orderRows(body, material) } };
    if (path === '/cdn/file') return { body: { ...body, id: this.recentRecord(records.of('file').filter(isKept)) } };
    if (path === '/cdn/folder' && method === 'patch')
      return { body: { ...body, id: this.recentRecord(records.of('folder')) } };
    if (path === '/cdn/files/move') return { body: { ...body, ids: fileIds(false)(material) } };
    if (path === '/cdn/files/restore') return { body: { ids: fileIds(true)(material) } };
    if (path === '/cdn/files/purge') return { body: { ids: fileIds(true)(material) }, query: [] };
    if (path === '/cdn' && method === 'delete') return { ...NO_BODY, query: [['file', this.fileKey(records)]] };
    if (path === '/cdn/list')
      return { body: { files: [{ key: this.fileKey(records) }, { key: this.fileKey(records) }] }, query: [] };
    return {};
  }

  private recentRecord(records: readonly KnownRecord[]): unknown {
    return records.length === 0 ? ABSENT_ID : this.random.pick(records.slice(-RECENT_COUNT)).ref;
  }

  private fileKey(records: ShownRecords): unknown {
    const files = records.of('file').filter(isKept);
    return files.length === 0 || this.random.chance(0.05) ? 'nowhere.txt' : this.random.pick(files).source.below('key');
  }

  private fileOf(random: SeededRandom): FormFile {
    const name = random.pick(['a.txt', 'b.txt', 'Čaša.txt', 'slika.png', 'photo 1.png', 'photo.png', 'x.exe']);
    const size = random.pick([
      [64, 48],
      [20, 30],
      [1, 1],
    ] as const);
    return {
      name,
      content: name.endsWith('.png') && random.chance(0.95) ? { png: size } : `words ${random.between(1, 20)}`,
    };
  }

  /** Replaces the customer's identifiers by those of a known customer, or by none. */
  private withCustomer(fields: Fields, { random, records }: Material, chance: number): Fields {
    const {
      customer_id: _id,
      data_part: _data,
      time_part: _time,
      customer_external_ref: _ref,
      ...otherFields
    } = fields;
    const customers = records.of('customer').filter((record) => 'data_part' in record.fields);
    if (customers.length === 0 || !random.chance(chance)) return otherFields;
    const { source, fields: customer } = random.pick(customers);
    if (typeof customer['external_ref'] === 'string' && random.chance(0.4))
      return { ...otherFields, customer_external_ref: customer['external_ref'] };
    return {
      ...otherFields,
      customer_id: source.below('id'),
      data_part: source.below('data_part'),
      time_part: source.below('time_part'),
    };
  }

  private basketOf(body: Fields | undefined, name: string, material: Material): Fields {
    const { random } = material;
    const basket = this.withCustomer(body?.[name] as Fields, material, 0.4);
    const {
      items,
      coupon_codes,
      voucher_codes,
      warehouse_code,
      shipment_method_code,
      pickup_point_code,
      ...otherFields
    } = basket;
    return {
      ...otherFields,
      items: this.items(items, material),
      guest: 'customer_id' in basket || 'customer_external_ref' in basket ? undefined : GUEST,
      ...(random.chance(0.2) && { coupon_codes }),
      ...(random.chance(0.25) && { voucher_codes }),
      ...(random.chance(0.3) && { warehouse_code }),
      ...(random.chance(0.3) && { shipment_method_code, pickup_point_code }),
    };
  }

  private evaluationId(records: ShownRecords): unknown {
    const freshEvaluations = this.freshEvaluations(records);
    const candidates =
      freshEvaluations.length > 0 && this.random.chance(0.95) ? freshEvaluations : records.of('evaluation');
    return candidates.length === 0 ? ABSENT_ID : this.random.pick(candidates.slice(-3)).ref;
  }

  private paymentBody(call: CallStep, body: Fields | undefined, { random, records }: Material): Fields {
    const proforma = proformaInPath(records, call);
    const debt = Number(proforma?.fields['debt'] ?? 100);
    const amount = random.pick([undefined, null, debt, debt, debt, debt, debt, Math.floor(debt / 2), 10, debt + 100]);
    return {
      payment: { ...(body?.['payment'] as Fields), ...(amount === undefined ? { amount: undefined } : { amount }) },
    };
  }

  private adjustmentsBody(call: CallStep, { random, records }: Material): Fields {
    const proforma = proformaInPath(records, call);
    const items = (proforma?.fields['items'] ?? []) as readonly { qty: number }[];
    const rows = [...items.entries()].filter(() => random.chance(0.7));
    return {
      adjustments: rows.map(([index, { qty }]) => ({
        proforma_order_item_id: proforma?.source.below(`items.${index}.proforma_order_item_id`),
        qty_confirmed: random.pick([qty, qty, Math.max(0, qty - 1), 0, qty + 1]),
      })),
    };
  }

  /** Replaces the identifiers of most rows by the code of a known variant. */
  private items(items: unknown, { random, records }: Material): unknown {
    const variants = records.of('variant').filter(({ fields }) => typeof fields['code'] === 'string');
    if (variants.length === 0) return items;
    return (items as readonly Fields[]).map((row) =>
      random.chance(0.9)
        ? {
            ...withoutIdentifiers(row),
            code: random.pick(variants).fields['code'],
            ...('qty' in row && { qty: random.between(1, 3) }),
          }
        : row,
    );
  }

  /** Replaces most rows by stock of up to five known variants, so that later sales succeed. */
  private stockRows(body: Fields | undefined, { random, records }: Material): unknown {
    const variants = records.of('variant').filter(({ fields }) => typeof fields['code'] === 'string');
    return rowsIn(body, 'stocks').flatMap((row) => {
      if (variants.length === 0 || random.chance(0.2)) return [row];
      return random
        .some(variants, 5)
        .map(({ fields }) => ({ code: fields['code'], warehouse_code: 'W1', qty: random.between(100, 900) }));
    });
  }

  private attributeRows(rows: unknown, material: Material): unknown {
    const codes: Readonly<Record<string, string>> = { material: 'MAT', size: 'SIZE', boja: 'BOJA' };
    return (this.items(rows, material) as readonly Fields[]).map((row) => ({
      ...row,
      attributes: (row['attributes'] as readonly Fields[]).map((attribute) =>
        'code' in attribute && material.random.chance(0.9)
          ? { ...attribute, code: codes[String(attribute['external_ref'])] }
          : attribute,
      ),
    }));
  }

  private orderRows(body: Fields | undefined, { random, records }: Material): unknown {
    const orders = records.of('order').filter(({ fields }) => 'data_part' in fields);
    return rowsIn(body, 'orders').map((row) => {
      if (orders.length === 0) return row;
      const { source } = random.pick(random.chance(0.6) ? orders.slice(-RECENT_COUNT) : orders);
      return {
        ...row,
        id: source.below('id'),
        data_part: source.below('data_part'),
        time_part: source.below('time_part'),
      };
    });
  }

  private addHostileValue(route: Route, call: CallStep): CallStep {
    const { random } = this;
    const kinds = [
      ...(route.path.includes(':') ? ['id'] : []),
      ...(Object.keys(route.query ?? {}).length > 0 ? ['query'] : []),
      ...(call.body !== undefined ? ['field', 'field', 'field', 'field', 'unknown'] : []),
      ...(route.body && route.upload !== true ? ['text'] : []),
    ];
    if (kinds.length === 0) return { ...call, rawQuery: random.pick(HOSTILE_QUERIES)('unknown') };
    switch (random.pick(kinds)) {
      case 'id': {
        const names = Object.keys(call.params).filter((name) => call.path.includes(`:${name}`));
        const id = `raw:${random.pick([...HOSTILE_IDS, ...UNDECODABLE_IDS])}`;
        return { ...call, params: { ...call.params, [random.pick(names)]: id } };
      }
      case 'query': {
        const names = Object.keys(route.query ?? {});
        const name = random.pick(call.isUnordered ? names.filter((queryName) => !isPaging(queryName)) : names);
        const query = call.query.filter(([queryName]) => queryName !== name);
        return { ...call, query, rawQuery: hostileQuery(call.path, name, random) };
      }
      case 'text':
        return { ...call, text: random.pick(BROKEN_JSON) };
      case 'unknown':
        return { ...call, body: { ...(call.body as object), unknown: random.pick(HOSTILE_VALUES)[1] } };
      default:
        return { ...call, body: withHostileField(call.body, random) };
    }
  }
}

const GUEST = {
  email: 'ana@example.com',
  first_name: 'Ana',
  last_name: 'Kovačević',
  phone: '+381601112223',
  address_line_1: 'Bulevar 1',
  city: 'Novi Sad',
  postcode: '21000',
};
const NO_BODY = { body: undefined };

export function nameOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}

function rowsIn(body: Fields | undefined, name: string): readonly Fields[] {
  return (body?.[name] ?? []) as readonly Fields[];
}

function withoutIdentifiers(row: Fields): Fields {
  const { barcode: _barcode, external_ref: _ref, product_variant_id: _id, ...otherFields } = row;
  return otherFields;
}

function kindOfRecord(path: string): string {
  const end = path.indexOf('/:id');
  return kindOfRoute(end < 0 ? path : path.slice(0, end));
}

function isKept({ fields }: Pick<KnownRecord, 'fields'>): boolean {
  return (fields['deleted_at'] ?? null) === null;
}

/** Records effects of a call that its answer does not show. */
function learnEffects(records: ShownRecords, step: CallStep, { status, body }: Answer): void {
  const kind = kindOfRecord(step.path);
  const { id } = step.params;
  const isFinal = JSON.stringify(body).includes('API.ProformaOrders.AlreadyFinal');
  if (status === 404) records.forget(kind, id);
  else if (isFinal) records.update('proforma', id, { proforma_status_final: true });
  if (step.path === '/proforma_orders' && status === 422)
    records.update('evaluation', (step.body as Fields | undefined)?.['order_processing_id'], { used: true });
  if (status >= 300) return;
  switch (nameOf(step)) {
    case 'post /proforma_orders/:id/card_payments':
      return records.update('proforma', id, { card_payment: new Ref(step.id, 'payment.id') });
    case 'post /proforma_orders/:id/convert':
    case 'delete /proforma_orders/:id':
      return records.update('proforma', id, { proforma_status_final: true });
    case 'delete /cdn':
      return records.update('file', step.query[0]?.[1], { deleted_at: 'now' });
    case 'post /cdn/files/:id/restore':
      return records.update('file', id, { deleted_at: null });
    case 'delete /cdn/files/:id/purge':
      return records.forget('file', id);
  }
}

function proformaInPath(records: ShownRecords, { params }: CallStep): KnownRecord | undefined {
  return records.find('proforma', params['id']);
}

function withParts({ params, path, query }: CallStep, records: ShownRecords): CallStep['query'] {
  const record = records.find(kindOfRecord(path), params['id']);
  return [
    ['dataPart', record?.source.below('data_part') ?? 1],
    ['timePart', record?.source.below('time_part') ?? 82],
    ...query.filter(([name]) => name !== 'dataPart' && name !== 'timePart'),
  ];
}

/** Requests all rows, because random values decide which rows are on a page. */
function withoutPage(query: CallStep['query']): CallStep['query'] {
  return [...query.filter(([name]) => !isPaging(name)), ['limit', 10_000]];
}

function isPaging(name: string): boolean {
  return name === 'offset' || name === 'limit' || name === 'cursor';
}

/** Excludes small ids and short texts, because they may match random values of one side only. */
function hostileQuery(path: string, name: string, random: SeededRandom): string {
  const queries = HOSTILE_QUERIES.map((make) => make(name));
  if (/ids?$/i.test(name)) return random.pick(queries.filter((query) => !/=(?:%2B)?[12](?:&|$)/.test(query)));
  const isInRandomText = name === 'search' && ROUTES_SEARCHING_RANDOM_TEXT.has(path);
  return random.pick(isInRandomText ? queries.filter((query) => !/=[\w.%+-]{1,8}(?:&|$)/.test(query)) : queries);
}

function withHostileField(body: unknown, random: SeededRandom): unknown {
  if (Array.isArray(body) && body.length > 0 && random.chance(0.9)) {
    const hostileIndex = random.between(0, body.length - 1);
    return body.map((item: unknown, index) => (index === hostileIndex ? withHostileField(item, random) : item));
  }
  if (typeof body === 'object' && body !== null && !(body instanceof Ref) && Object.keys(body).length > 0) {
    const name = random.pick(Object.keys(body));
    const value: unknown = (body as Fields)[name];
    const isNested = typeof value === 'object' && value !== null && random.chance(0.85);
    const hostile = isNested ? withHostileField(value, random) : random.pick(HOSTILE_VALUES)[1];
    return { ...body, [name]: hostile };
  }
  return random.pick(HOSTILE_VALUES)[1];
}
