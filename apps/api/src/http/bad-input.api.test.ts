import { BodySchema } from '../testing/body-fields.js';
import { Conformance, failedRows, isMessage } from '../testing/conformance.js';
import { fingerprintsOf, type Fingerprints } from '../testing/fingerprints.js';
import {
  HOSTILE_BODIES,
  HOSTILE_IDS,
  HOSTILE_QUERIES,
  HOSTILE_VALUES,
  UNDECODABLE_IDS,
} from '../testing/hostile-values.js';
import { RawHttp } from '../testing/raw-http.js';
import { evaluate, GUEST, methodId, propose, startSession, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';
import { VERSION } from '../runtime/api.js';
import { BASE_PATH } from './base-path.js';
import { statusOf } from './errors.js';
import { openApiDocument } from './openapi.js';
import type { Route } from './route.js';

interface Named {
  readonly id: number;
  readonly data_part?: number;
  readonly time_part?: number;
  readonly payment_id?: number;
  readonly items?: readonly { readonly proforma_order_item_id: number }[];
  readonly url?: string;
}

/** An app of its own, so that its fingerprint tells what one of many concurrent calls has written. */
interface Shop {
  readonly client: Client;
  readonly cash: number;
  readonly folder: number;
  readonly file: { readonly id: number; readonly key: string; readonly url: string };
  /** A file in Trash. */
  readonly trashed: { readonly id: number };
  /** Of a signed-in customer, for the calls that are not the app's. */
  readonly session: string;
  /** One record of every kind that a path names, by the first segment of the path. */
  readonly records: Record<string, Named>;
  evaluation: number;
  /** Whether a call may have used up the proforma or the evaluation. */
  spent: boolean;
}

interface Hostile {
  readonly shop: Shop;
  readonly route: Route;
  readonly field?: string;
  readonly what: string;
  readonly path: string;
  /** Sent as JSON; `text` is sent as it is. */
  readonly body?: unknown;
  readonly text?: string | undefined;
}

interface Outcome extends Hostile {
  readonly status: number;
  readonly answer: string;
  readonly complaints: readonly string[];
  readonly wrote: boolean;
}

let api: TestApi;
let http: RawHttp;
let routes: readonly Route[];
let reference: Record<string, unknown>;
let conformance: Conformance;
let fingerprints: () => Promise<Fingerprints>;
let shops: Shop[];

beforeAll(async () => {
  api = await testApi();
  http = new RawHttp(api.origin);
  routes = api.container.get(TOKENS.Routes);
  reference = openApiDocument(routes, VERSION);
  conformance = new Conformance(reference);
  fingerprints = await fingerprintsOf(api.database);
  // Small numbers in queries are to find nothing.
  await api.database.rows(`select setval(pg_get_serial_sequence('cdn_files', 'id'), 1000000)`);
  shops = await Promise.all(HOSTILE_VALUES.map(openShop));
}, 180_000);
afterAll(async () => {
  http.close();
  await api.close();
});

async function openShop(): Promise<Shop> {
  const client = await api.app();
  await stockShop(client, [{ code: 'A', stock: 1_000_000 }, { code: 'COUNTED' }]);
  await setUp(client);
  await client.post('/int/app_locations', { app_locations: [{ code: 'HERE', name: 'Here', ...HERE }] });
  const customer = { email: 'ana@example.com', first_name: 'Ana', last_name: 'Kovačević', external_ref: 'ana' };
  const sold = await propose(client, [{ code: 'A', qty: 1 }]);
  const evaluation = await evaluate(client, [{ code: 'A', qty: 1 }]);
  const file = (await client.upload('/cdn/files', { name: 'file.txt', bytes: Buffer.from('words') })).body.data;
  const trashed = (await client.upload('/cdn/files', { name: 'gone.txt', bytes: Buffer.from('words') })).body.data;
  await client.delete(`/cdn?file=${trashed.key}`);
  const records: Record<string, Named> = {
    customers: (await client.post('/customers', { customer })).body.data,
    order_processings: { id: evaluation },
    orders: (await client.post(`/proforma_orders/${sold.id}/convert`)).body.data,
    proforma_orders: await awaiting(client),
    cdn: file,
  };
  const session = await startSession(client, { customer_external_ref: 'ana' });
  const folder = (await client.post('/cdn_folders', { cdn_folder: { name: 'Edited', key: 'edited' } })).body.data.id;
  return {
    client,
    session,
    folder,
    file,
    trashed,
    cash: await methodId(client, 'cash'),
    records,
    evaluation,
    spent: false,
  };
}

/** Where a location is, so that a visit can be there. */
const HERE = { latitude: 44.8125, longitude: 20.4612 };

/** What hostile settings may have changed. */
async function setUp(client: Client): Promise<void> {
  const account = { beneficiary: 'Shop', account_number: '160-445-21' };
  await client.patch('/app/settings', { currency: 'RSD', bank_account: account });
}

/** A proforma of which a card payment is in progress. */
async function awaiting(client: Client): Promise<Named> {
  const proforma = await propose(client, [{ code: 'A', qty: 1 }]);
  const { body } = await client.post(`/proforma_orders/${proforma.id}/card_payments`, { payment: { amount: 1 } });
  return { ...body.data, payment_id: body.data.payments[0].id };
}

async function refresh(shop: Shop): Promise<void> {
  if (!shop.spent) return;
  shop.records['proforma_orders'] = await awaiting(shop.client);
  shop.evaluation = await evaluate(shop.client, [{ code: 'A', qty: 1 }]);
  shop.spent = false;
}

/** An id that no record has. */
const NOBODY = '987654321';

let emails = 0;
/** What makes the example of a body an acceptable one. A name holds for every field called so. */
function valuesOf(
  { cash, folder, file, trashed, records, evaluation }: Shop,
  { path }: Route,
): Record<string, unknown> {
  emails += 1;
  return {
    ...GUEST,
    email: `c${emails}@example.com`,
    name: 'Name',
    code: 'F',
    'items.code': 'A',
    'promotions.kind': 'percentage',
    'payment_methods.kind': 'cash',
    value: 10,
    price: 1,
    vat_rate: 20,
    'result.status': 'settled',
    'order.external_ref': `order ${emails}`,
    'warehouse.code': `W-${emails}`,
    'card.barcode': `card ${emails}`,
    'orders.id': records['orders']?.id,
    data_part: records['orders']?.data_part,
    time_part: records['orders']?.time_part,
    'stocks.code': 'A',
    warehouse_code: 'W1',
    market_id: 1,
    qty: 1,
    comment: 'comment',
    tags: ['tag'],
    reason: 'reason',
    amount: 1,
    payment_method_id: cash,
    order_processing_id: evaluation,
    proforma_order_item_id: records['proforma_orders']?.items?.[0]?.proforma_order_item_id,
    qty_confirmed: 1,
    sku: 'COUNTED',
    'product_attributes.code': 'A',
    'attributes.external_ref': 'material',
    'attributes.value': 'cotton',
    'cdn_folder.key': `folder-${emails}`,
    'cdn_folder.name': `Folder ${emails}`,
    '.id': path === '/cdn/file' ? file.id : folder,
    '.name': `Name ${emails}`,
    '.ids': [path === '/cdn/files/purge' ? trashed.id : file.id],
    '.file': file.key,
    '.files': [{ key: file.key }],
    '.folder': 'moved',
    '.on_conflict': 'rename',
    '.cache_strategy': 'version',
    entity_type: 'page',
    entity_id: 'home',
    'fields.field': 'body',
    'fields.url': file.url,
    ...HERE,
    uuid: 'device-1',
    image_url: 'https://shop.example/picture.png',
  };
}

/** Whether a field of the body names the record, which may be missing. */
function namesMissing({ refusals = [] }: Route): boolean {
  return refusals.some((key) => statusOf(key) === 404);
}

function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** The path with the ids of the shop's records, but for one of them: that of the record unless another is named. */
function pathOf(route: Route, shop: Shop, id?: string, parameter = 'id'): string {
  const record: Readonly<Record<string, unknown>> = { ...shop.records[route.path.split('/')[1] ?? ''] };
  const named = { ...record, ...(id !== undefined && { [parameter]: id }) };
  return BASE_PATH + route.path.replaceAll(/:(\w+)/g, (_, name: string) => String(named[name]));
}

/** The required parameters as they should be, so that the hostile one is the only thing wrong. */
function requiredQuery(route: Route, shop: Shop): string[] {
  const record = shop.records[route.path.split('/')[1] ?? ''];
  const values: Readonly<Record<string, number | string | undefined>> = {
    dataPart: record?.data_part,
    timePart: record?.time_part,
    dateFrom: '2026-11-21',
    dateUntil: '2026-11-22',
  };
  return Object.entries(route.query ?? {})
    .filter(([, { required }]) => required)
    .map(([name]) => `${name}=${values[name]}`);
}

function bodyOf(route: Route): BodySchema | undefined {
  const path = (reference['paths'] as Record<string, Record<string, unknown>>)[
    BASE_PATH + route.path.replaceAll(/:(\w+)/g, '{$1}')
  ];
  const operation = path?.[route.method] as { requestBody?: { content: Record<string, { schema: object }> } };
  const content = operation.requestBody?.content;
  const schema = content?.['application/json']?.schema ?? content?.['multipart/form-data']?.schema;
  return schema && new BodySchema(reference, schema as Record<string, unknown>);
}

/** Sends the calls all at once, each from a shop of its own, and tells what came back and which shops were written to. */
async function send(calls: readonly Hostile[]): Promise<Outcome[]> {
  const before = await fingerprints();
  const replies = await Promise.all(calls.map(exchange));
  const after = await fingerprints();
  return replies.map((reply) => {
    const { appId } = reply.shop.client;
    if (reply.status < 300 && reply.route.path.startsWith('/proforma_orders')) reply.shop.spent = true;
    return { ...reply, wrote: before.get(appId) !== after.get(appId) };
  });
}

async function exchange(call: Hostile): Promise<Omit<Outcome, 'wrote'>> {
  const { shop, route, path, body } = call;
  const isForm = route.upload && body !== undefined;
  const { text = body === undefined ? undefined : isForm ? formOf(body as object) : JSON.stringify(body) } = call;
  const token = route.caller === 'app' ? shop.client.token : shop.session;
  const type = isForm ? `multipart/form-data; boundary=${BOUNDARY}` : 'application/json';
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type };
  const { status, text: answer } = await http.call({ method: route.method.toUpperCase(), path, headers, body: text });
  const sent = text === undefined || body === undefined || isForm ? undefined : JSON.parse(text);
  return {
    ...call,
    status,
    answer,
    complaints: complaintsOf({ method: route.method, path, sent, status, text: answer }),
  };
}

const BOUNDARY = 'between-the-parts';

/** The fields of a body as a form, with a file. */
function formOf(body: object): string {
  const fields = Object.entries(body).filter(([name]) => name !== 'file');
  const parts = fields.flatMap(([name, value]) =>
    partsOf(name, value).map((each) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${each}\r\n`),
  );
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nwords\r\n`;
  return `${parts.join('')}${file}--${BOUNDARY}--\r\n`;
}

function partsOf(name: string, value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => partsOf(name, each));
  if (typeof value !== 'object' || value === null) return [`name="${name}"\r\n\r\n${String(value)}`];
  return Object.entries(value).flatMap(([key, each]) => partsOf(`${name}[${key}]`, each));
}

function complaintsOf(told: Parameters<Conformance['complaints']>[0]): string[] {
  try {
    return conformance.complaints(told);
  } catch (error) {
    return [String(error)];
  }
}

/** Sends what `callsOf` makes for each shop in turn, as many at once as there are shops. */
async function sendAll<Case>(cases: readonly Case[], callOf: (each: Case, shop: Shop) => Hostile): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const callsOf = (batch: readonly Case[]) => batch.map((each, index) => callOf(each, shops[index] as Shop));
  for (const batch of batches(cases)) {
    await Promise.all(shops.map(refresh));
    outcomes.push(...(await send(callsOf(batch))));
  }
  return outcomes;
}

function batches<Case>(cases: readonly Case[]): Case[][] {
  const starts = Array.from({ length: Math.ceil(cases.length / shops.length) }, (_, index) => index * shops.length);
  return starts.map((start) => cases.slice(start, start + shops.length));
}

/** What was sent and came back, in one line. */
function shown({ route, field = '', what, status, answer, complaints }: Outcome): string {
  return `${nameOf(route)} ${field} with ${what}: ${status} ${answer.slice(0, 200)} ${complaints.join('; ').slice(0, 300)}`;
}

function expectNone(outcomes: readonly Outcome[]): void {
  expect(outcomes.map(shown)).toEqual([]);
}

/** Refused whole, or a bulk call whose only row failed. */
function isRefused({ status, answer }: Outcome): boolean {
  if (status >= 400) return true;
  const { data } = JSON.parse(answer || '{}');
  return failedRows(data).length > 0 || (Array.isArray(data) && data.some(isMessage));
}

describe('the example of every body', () => {
  it('is accepted, so that one hostile field in it is the only thing wrong', async () => {
    const [shop] = shops as [Shop];
    for (const route of routes.filter(({ body }) => body)) {
      await refresh(shop);
      const body = bodyOf(route)?.example(valuesOf(shop, route));
      const [outcome] = await send([{ shop, route, what: 'its example', path: pathOf(route, shop), body }]);
      const { status, answer, complaints } = outcome as Outcome;
      const accepted = !isRefused(outcome as Outcome);
      expect({ call: nameOf(route), accepted, complaints, ...(!accepted && { status, answer }) }).toEqual({
        call: nameOf(route),
        accepted: true,
        complaints: [],
      });
    }
  });
});

describe('a field that no call knows, in every object of every body', () => {
  const UNKNOWN = [
    ...HOSTILE_VALUES.map(([what, value]) => ({ name: 'unknown', what, value })),
    ...['a\0b', '\ud800', '__proto__', 'constructor', 'toJSON', ''].map((name) => ({ name, what: 'x', value: 'x' })),
  ];
  // What these name can be used once.
  const SPENT = new Set(['/cdn/files/purge', '/cdn/files/:id/revert']);
  const casesOf = (schema: BodySchema, shop: Shop, route: Route) =>
    UNKNOWN.flatMap(({ name, what, value }) =>
      schema.unknownFields(name, valuesOf(shop, route)).map((field) => ({ field, what, value })),
    );

  it('is ignored, whatever it is called and holds', async () => {
    const outcomes: Outcome[] = [];
    for (const route of routes.filter(({ path, upload }) => !upload && !SPENT.has(path))) {
      const schema = bodyOf(route);
      const cases = schema ? casesOf(schema, shops[0] as Shop, route) : [];
      const call = ({ field, what, value }: (typeof cases)[number], shop: Shop): Hostile => ({
        shop,
        route,
        field: field.path.join('.'),
        what,
        path: pathOf(route, shop),
        body: schema?.exampleWith(field, value, valuesOf(shop, route)),
      });
      outcomes.push(...(await sendAll(cases, call)));
    }
    expect(outcomes.length).toBeGreaterThan(1_000);
    expectNone(outcomes.filter((outcome) => isRefused(outcome) || outcome.complaints.length > 0));
  }, 180_000);
});

describe('every field of every body, holding what it should not', () => {
  let outcomes: Outcome[];

  beforeAll(async () => {
    outcomes = [];
    for (const route of routes) {
      const schema = bodyOf(route);
      for (const field of schema?.fields() ?? []) {
        const call = ([name, value]: (typeof HOSTILE_VALUES)[number], shop: Shop): Hostile => ({
          shop,
          route,
          field: field.path.join('.'),
          what: name,
          path: pathOf(route, shop),
          body: schema?.exampleWith(field, value, valuesOf(shop, route)),
        });
        outcomes.push(...(await sendAll(HOSTILE_VALUES, call)));
      }
    }
  }, 180_000);

  it('is accepted, unreadable (400) or refused (422), nothing else', () => {
    const fine = ({ status, route }: Outcome): boolean =>
      status < 300 || status === 400 || status === 422 || (status === 404 && namesMissing(route));
    expectNone(outcomes.filter((outcome) => !fine(outcome)));
  });

  it('is answered as the API reference says, and accepted only as it says', () => {
    expectNone(outcomes.filter(({ complaints }) => complaints.length > 0));
  });

  it('writes nothing when it is refused', () => {
    expectNone(outcomes.filter((outcome) => outcome.wrote && isRefused(outcome)));
    expect(outcomes.filter(isRefused).length).toBeGreaterThan(1_000);
    expect(outcomes.filter((outcome) => outcome.wrote && !isRefused(outcome)).length).toBeGreaterThan(500);
  });

  it('is judged: no field takes everything', () => {
    const nameOfField = ({ route, field }: Outcome): string => `${nameOf(route)} ${field}`;
    const judged = new Set(outcomes.filter(isRefused).map(nameOfField));
    expect([...new Set(outcomes.map(nameOfField))].filter((field) => !judged.has(field))).toEqual([]);
  });

  it('is never a text with NUL or half of a surrogate pair that is taken', () => {
    // A form is bytes: half of a pair cannot be written in it.
    const unsound = outcomes.filter(
      ({ what, route }) => what === 'NUL' || (what === 'half of a surrogate pair' && !route.upload),
    );
    expect(unsound.length).toBeGreaterThan(100);
    expectNone(unsound.filter((outcome) => !isRefused(outcome)));
  });
});

describe('every call with a body', () => {
  it('of a wrong kind or none at all is unreadable (400) and writes nothing', async () => {
    const outcomes: Outcome[] = [];
    for (const route of routes.filter(({ body }) => body)) {
      const texts = route.bodyOptional ? HOSTILE_BODIES : [...HOSTILE_BODIES, undefined];
      const call = (text: string | undefined, shop: Shop): Hostile => ({
        shop,
        route,
        what: text ?? 'nothing',
        path: pathOf(route, shop),
        text,
      });
      outcomes.push(...(await sendAll(texts, call)));
    }
    expectNone(outcomes.filter(({ status, complaints, wrote }) => status !== 400 || complaints.length > 0 || wrote));
  });
});

describe('every query parameter, and one that no call knows', () => {
  beforeAll(() => Promise.all(shops.map(({ client }) => setUp(client))));

  let outcomes: Outcome[];

  beforeAll(async () => {
    outcomes = [];
    // Needs neither a record nor a body, so it would end the session of the calls that come after it.
    for (const route of routes.filter(({ path }) => path !== '/sessions/current')) {
      for (const parameter of [...Object.keys(route.query ?? {}), 'unknown']) {
        const call = (query: (name: string) => string, shop: Shop): Hostile => ({
          shop,
          route,
          field: parameter,
          what: query(parameter).slice(0, 100),
          // Writes are sent to a record that is not there: what is tested is how the query is read.
          path: `${pathOf(route, shop, route.method === 'get' ? undefined : NOBODY)}?${[
            ...requiredQuery(route, shop).filter((each) => !each.startsWith(`${parameter}=`)),
            query(parameter),
          ].join('&')}`,
        });
        outcomes.push(...(await sendAll(HOSTILE_QUERIES, call)));
      }
    }
  }, 180_000);

  it('holding anything is read, unreadable (400), refused by a rule (422), or finds no record (404), and writes nothing', () => {
    const fine = ({ status, route }: Outcome): boolean =>
      [200, 400, 404].includes(status) || (status === 422 && route.refusals !== undefined);
    expectNone(outcomes.filter((outcome) => !fine(outcome) || outcome.wrote));
  });

  it('is answered as the API reference says', () => {
    expectNone(outcomes.filter(({ complaints }) => complaints.length > 0));
  });

  it('is ignored when the call does not know it', () => {
    const unknown = outcomes.filter(({ route, field }) => route.method === 'get' && field === 'unknown');
    expect(unknown.length).toBeGreaterThan(100);
    expectNone(unknown.filter(({ status }) => status === 404));
  });
});

describe('every id in a path', () => {
  const named = () => routes.filter(({ path }) => path.includes(':id'));
  const parametersOf = (route: Route): [Route, string][] =>
    [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [route, name]);
  const sendIds = async (ids: readonly string[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const [route, parameter] of named().flatMap(parametersOf)) {
      const call = (id: string, shop: Shop): Hostile => ({
        shop,
        route,
        what: `${parameter} ${id.slice(0, 100)}`,
        path: `${pathOf(route, shop, id, parameter)}?${requiredQuery(route, shop).join('&')}`,
        body: bodyOf(route)?.example(valuesOf(shop, route)),
      });
      outcomes.push(...(await sendAll(ids, call)));
    }
    return outcomes;
  };

  it('is one of a record that the shops have, so that only the id is wrong', () => {
    const records = Object.keys((shops as [Shop])[0].records);
    expect(named().filter(({ path }) => !records.includes(path.split('/')[1] ?? ''))).toEqual([]);
  });

  it('that no record has finds none (404, empty or under its key; 200 where its list is empty) and writes nothing', async () => {
    const outcomes = await sendIds(HOSTILE_IDS);
    const isNamed = ({ answer, route }: Outcome): boolean => answer.includes(route.missing ?? 'nothing names it');
    const findsNone = (outcome: Outcome): boolean =>
      outcome.route.emptyWhenMissing
        ? outcome.status === 200 && outcome.answer === '{"data":[]}'
        : outcome.status === 404 && (outcome.answer === '' || isNamed(outcome));
    expectNone(outcomes.filter((outcome) => !findsNone(outcome) || outcome.wrote));
  });

  it('that is no text is unreadable (400) and writes nothing', async () => {
    const outcomes = await sendIds(UNDECODABLE_IDS);
    expectNone(outcomes.filter(({ status, complaints, wrote }) => status !== 400 || complaints.length > 0 || wrote));
  });
});
