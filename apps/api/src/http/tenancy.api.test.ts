import type { BodyField, ExampleValues } from '../testing/body-fields.js';
import { fingerprintsOf, tablesWith, type Fingerprints } from '../testing/fingerprints.js';
import { openFullShop, refresh, setUpFullShop, tokenFor, valuesOf, type FullShop } from '../testing/full-shop.js';
import { nameOf, parametersOf, pathOf, requiredQuery, RouteCalls, type RouteAnswer } from '../testing/route-calls.js';
import { startSession } from '../testing/shop.js';
import { testApi, type TestApi } from '../testing/test-api.js';
import type { Route } from './route.js';

// Two apps that hold the same codes, references and e-mails. One of them goes through every call with its own token and
// the names of the other's records.

/** Stands in every text of the first app, and is sent by nobody else. */
const SECRET = 'canary-7f3a9c';

let api: TestApi;
let calls: RouteCalls;
let fingerprints: () => Promise<Fingerprints>;
let mine: FullShop;
let stranger: FullShop;
/** What the owner reads before the stranger comes, by call. */
let before: ReadonlyMap<string, RouteAnswer>;

beforeAll(async () => {
  api = await testApi();
  calls = new RouteCalls(api);
  fingerprints = await fingerprintsOf(api.database);
  mine = await openFullShop(api);
  stranger = await openFullShop(api);
  await tellSecrets();
  before = await ownReads();
}, 180_000);
afterAll(async () => {
  calls.close();
  await api.close();
});

const queryOf = (parts: readonly string[]) => (parts.length === 0 ? '' : `?${parts.join('&')}`);

/** Fills the records of the first app with the secret, field by field, by whatever calls take texts. */
async function tellSecrets(): Promise<void> {
  for (const route of calls.routes) {
    const schema = calls.bodyOf(route);
    for (const field of schema?.texts() ?? []) {
      await refresh(mine);
      const body = schema?.exampleWith(field, SECRET, valuesOf(mine, route));
      const { status } = await calls.send({ route, path: pathOf(route, mine), token: tokenFor(route, mine), body });
      if (status < 300 && route.path.startsWith('/proforma_orders')) mine.spent = true;
    }
  }
  await setUpFullShop(mine.client);
  await refresh(mine);
}

async function ownReads(): Promise<Map<string, RouteAnswer>> {
  const reads = new Map<string, RouteAnswer>();
  for (const route of calls.routes.filter(({ method }) => method === 'get')) {
    const path = pathOf(route, mine) + queryOf(requiredQuery(route, mine));
    reads.set(nameOf(route), await calls.send({ route, path, token: tokenFor(route, mine) }));
  }
  return reads;
}

interface Attempt {
  readonly what: string;
  readonly got: RouteAnswer;
  /** The first app, by the attempt. */
  readonly changedOwner: boolean;
  readonly changedStranger: boolean;
}

/** Sends a call with the stranger's token. */
async function attempt(route: Route, what: string, path: string, body?: unknown): Promise<Attempt> {
  const { client } = stranger;
  // A session of its own: the call may end it.
  const token = route.caller === 'app' ? client.token : await startSession(client, { customer_external_ref: 'ana' });
  const seen = await fingerprints();
  const got = await calls.send({ route, path, token, body });
  const after = await fingerprints();
  const changed = (appId: number): boolean => seen.get(appId) !== after.get(appId);
  const changedOwner = changed(mine.client.appId);
  return { what: `${nameOf(route)} ${what}`, got, changedOwner, changedStranger: changed(client.appId) };
}

function tellsOrHarms({ got, changedOwner }: Attempt): boolean {
  return changedOwner || got.status >= 500 || `${got.answer}${JSON.stringify(got.head)}`.includes(SECRET);
}

function shown({ what, got, changedOwner, changedStranger }: Attempt): string {
  return `${what}: ${got.status} ${got.answer.slice(0, 300)} ${changedOwner ? 'OWNER CHANGED' : ''} ${changedStranger ? 'stranger changed' : ''}`;
}

describe('the owner', () => {
  it('reads its secrets: they would be seen, were they shown to anybody else', async () => {
    const told = [...before.values()].filter(({ answer }) => answer.includes(SECRET));
    expect([...before].filter(([, { status }]) => status !== 200).map(([name]) => name)).toEqual([]);
    expect(told.length).toBeGreaterThan(before.size / 2);
    expect((await tablesWith(api.database, mine.client.appId, SECRET)).length).toBeGreaterThan(10);
  });
});

describe('a stranger that sends what the owner would send', () => {
  it('sees and changes nothing, whatever the call', async () => {
    const attempts: Attempt[] = [];
    for (const route of calls.routes) {
      const path = pathOf(route, mine) + queryOf(requiredQuery(route, mine));
      const body = calls.bodyOf(route)?.example(valuesOf(mine, route));
      attempts.push(await attempt(route, 'with its ids and its body', path, body));
    }
    expect(attempts.filter(tellsOrHarms).map(shown)).toEqual([]);
  }, 180_000);
});

/** An id, and a name, that no record of any app has. */
const NOBODY = 987_654_321;
const NOTHING = 'aaaaaaaa/nothing.txt';

/** What is answered for a record that never was, in place of one of the owner's. */
function asIfNever({ got }: Attempt, name: unknown, nobody: unknown): RouteAnswer {
  const swapped = (value: unknown): unknown => {
    if (value === nobody || value === String(nobody)) return name;
    if (Array.isArray(value)) return value.map(swapped);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, swapped(each)]));
  };
  return { ...got, answer: got.answer === '' ? '' : JSON.stringify(swapped(JSON.parse(got.answer))) };
}

/** The names of headers, and the values of those that are the same for equal answers. */
function comparable({ status, answer, head }: RouteAnswer) {
  const { date: _date, 'x-request-id': _id, 'content-length': _length, ...rest } = head;
  return JSON.stringify([status, answer, rest]);
}

/** That an evaluation is another app's may be said: the interface has a key for it. */
function isTheOneException({ got: { status, answer } }: Attempt): boolean {
  return status === 422 && answer.includes('API.ProformaOrders.WrongApp');
}

interface Pair {
  readonly foreign: Attempt;
  readonly never: Attempt;
  readonly name: unknown;
  readonly nobody: unknown;
}

function isAsIfNever({ foreign, never, name, nobody }: Pair): boolean {
  const isSame = comparable(foreign.got) === comparable(asIfNever(never, name, nobody));
  const isRefused = foreign.got.status >= 400;
  return (isSame || isTheOneException(foreign)) && !(isRefused && foreign.changedStranger) && !tellsOrHarms(foreign);
}

function expectAsIfNever(pairs: readonly Pair[]): void {
  expect(
    pairs.filter((pair) => !isAsIfNever(pair)).map(({ foreign, never }) => [shown(foreign), shown(never)]),
  ).toEqual([]);
}

/** The stranger's own path, but for one id; whose record that is, the query says. */
function pathWith(route: Route, parameter: string, id: number): string {
  return pathOf(route, stranger, String(id), parameter) + queryOf(requiredQuery(route, mine));
}

describe('a stranger that names one record of the owner, and all else of its own', () => {
  it('in a path, is answered as if that record had never been, and nothing is written', async () => {
    const pairs: Pair[] = [];
    for (const route of calls.routes) {
      for (const parameter of parametersOf(route)) {
        const record: Readonly<Record<string, unknown>> = { ...mine.records[route.path.split('/')[1] ?? ''] };
        const name = record[parameter] as number;
        const body = calls.bodyOf(route)?.example(valuesOf(stranger, route));
        const foreign = await attempt(route, `with the owner's ${parameter}`, pathWith(route, parameter, name), body);
        const never = await attempt(route, `with nobody's ${parameter}`, pathWith(route, parameter, NOBODY), body);
        pairs.push({ foreign, never, name, nobody: NOBODY });
      }
    }
    expect(pairs.length).toBeGreaterThan(15);
    expectAsIfNever(pairs);
    expect(pairs.filter(({ foreign }) => foreign.changedStranger).map(({ foreign }) => shown(foreign))).toEqual([]);
  }, 180_000);

  it('in a body, is answered as if that record had never been, and a refused call writes nothing', async () => {
    const pairs: Pair[] = [];
    for (const route of calls.routes) {
      for (const field of namedFields(route)) {
        const name = valueAt(exampleOf(route, mine), field);
        const nobody = nobodyLike(name);
        const where = field.path.join('.');
        const foreign = await attempt(
          route,
          `with the owner's ${where}`,
          pathOf(route, stranger),
          bodyWith(route, field, name),
        );
        const never = await attempt(
          route,
          `with nobody's ${where}`,
          pathOf(route, stranger),
          bodyWith(route, field, nobody),
        );
        pairs.push({ foreign, never, name, nobody });
        stranger.spent = true;
        await refresh(stranger);
      }
    }
    expect(pairs.length).toBeGreaterThan(10);
    expectAsIfNever(pairs);
  }, 180_000);

  it('in a query, sees and changes nothing', async () => {
    const attempts: Attempt[] = [];
    for (const route of calls.routes) {
      for (const parameter of Object.keys(route.query ?? {})) {
        for (const name of [...namesOf(mine), SECRET]) {
          const others = requiredQuery(route, stranger).filter((each) => !each.startsWith(`${parameter}=`));
          const query = queryOf([...others, `${parameter}=${encodeURIComponent(String(name))}`]);
          // Writes find no record by their path: what is tested is the query.
          const path = pathOf(route, stranger, route.method === 'get' ? undefined : String(NOBODY)) + query;
          attempts.push(await attempt(route, `?${parameter}=${String(name)}`, path));
        }
      }
    }
    expect(attempts.length).toBeGreaterThan(500);
    expect(attempts.filter(tellsOrHarms).map(shown)).toEqual([]);
  }, 300_000);
});

function exampleOf(route: Route, shop: FullShop): unknown {
  return calls.bodyOf(route)?.example(valuesOf(shop, route));
}

/** They name no record by themselves, but are drawn, and may be as large as one that does. */
const PARTS = new Set<unknown>(['data_part', 'time_part']);

/** The fields of a body that name a record, and in the stranger's own body another one. */
function namedFields(route: Route): BodyField[] {
  const [owners, own, names] = [exampleOf(route, mine), exampleOf(route, stranger), namesOf(mine)];
  const isName = (field: BodyField): boolean => !PARTS.has(field.path.at(-1)) && names.has(valueAt(owners, field));
  return (calls.bodyOf(route)?.fields() ?? []).filter(
    (field) => isName(field) && valueAt(owners, field) !== valueAt(own, field),
  );
}

/** The stranger's own body, but for one field, and for the parts that belong to the owner's name of a record. */
function bodyWith(route: Route, field: BodyField, value: unknown): unknown {
  const { data_part, time_part } = valuesOf(mine, route);
  return calls.bodyOf(route)?.exampleWith(field, value, { ...valuesOf(stranger, route), data_part, time_part });
}

/** What the records of a shop are called by: ids, keys and addresses. */
function namesOf({ records, cash, folder, file, trashed, evaluation }: FullShop): Set<unknown> {
  const ids = Object.values(records).flatMap(({ id, payment_id: payment, refund_id: refund, items }) => [
    id,
    payment,
    refund,
    ...(items ?? []).map((item) => item.proforma_order_item_id),
  ]);
  const all = [...ids, cash, folder, file.id, file.key, file.url, trashed.id, evaluation];
  return new Set<unknown>(all.filter((name) => name !== undefined));
}

function nobodyLike(name: unknown): unknown {
  if (typeof name === 'number') return NOBODY;
  return String(name).replace(/[a-z0-9]{8}\/[^/]+$/, NOTHING);
}

function valueAt(body: unknown, { path }: BodyField): unknown {
  return path.reduce<unknown>((part, step) => (part as ExampleValues | undefined)?.[step], body);
}

describe('an Idempotency-Key', () => {
  it('is its token’s own: a stranger with the owner’s key and body gets no answer of the owner’s', async () => {
    const [owner, other] = [await api.app(), await api.app()];
    const customer = { email: 'keyed@example.com', first_name: 'A', last_name: 'B' };
    const first = await owner.keyed('one').post('/customers', { customer });
    const second = await other.keyed('one').post('/customers', { customer });
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.data.id).not.toBe(first.body.data.id);
    expect(second.headers).not.toHaveProperty('idempotency-replayed');
  });
});

describe('after all that', () => {
  it('the owner reads what it has read before', async () => {
    const after = await ownReads();
    for (const [name, { status, answer }] of before) {
      expect([name, after.get(name)?.status, after.get(name)?.answer]).toEqual([name, status, answer]);
    }
  });

  it('no row of the stranger holds a secret of the owner', async () => {
    expect(await tablesWith(api.database, stranger.client.appId, SECRET)).toEqual([]);
  });
});
