import type { BodySchema } from '../testing/body-fields.js';
import { failedRows, isMessage } from '../testing/conformance.js';
import { fingerprintsOf, type Fingerprints } from '../testing/fingerprints.js';
import { openFullShop, refresh, setUpFullShop, tokenFor, valuesOf, type FullShop } from '../testing/full-shop.js';
import {
  HOSTILE_BODIES,
  HOSTILE_IDS,
  HOSTILE_QUERIES,
  HOSTILE_VALUES,
  UNDECODABLE_IDS,
} from '../testing/hostile-values.js';
import {
  nameOf,
  parametersOf,
  pathOf,
  requiredQuery,
  RouteCalls,
  type RouteAnswer,
  type RouteCall,
} from '../testing/route-calls.js';
import { testApi, type TestApi } from '../testing/test-api.js';
import { statusOf } from './errors.js';
import type { Route } from './route.js';

interface Hostile extends RouteCall {
  /** An app of its own, so that its fingerprint tells what one of many concurrent calls has written. */
  readonly shop: FullShop;
  readonly field?: string;
  readonly what: string;
}

interface Outcome extends Hostile, RouteAnswer {
  readonly wrote: boolean;
}

let api: TestApi;
let calls: RouteCalls;
let routes: readonly Route[];
let fingerprints: () => Promise<Fingerprints>;
let shops: FullShop[];
/** As they were after the calls before, unless something else has written since. */
let latest: Fingerprints | undefined;

beforeAll(async () => {
  api = await testApi();
  calls = new RouteCalls(api);
  routes = calls.routes;
  fingerprints = await fingerprintsOf(api.database);
  // Small numbers in queries are to find nothing.
  await api.database.rows(`select setval(pg_get_serial_sequence('cdn_files', 'id'), 1000000)`);
  shops = await Promise.all(HOSTILE_VALUES.map(() => openFullShop(api)));
}, 600_000);
afterAll(async () => {
  calls.close();
  await api.close();
});

/** An id that no record has. */
const NOBODY = '987654321';

function exampleOf(route: Route, shop: FullShop): unknown {
  return calls.bodyOf(route)?.example(valuesOf(shop, route));
}

/** Whether a field of the body names the record, which may be missing. */
function namesMissing({ refusals = [] }: Route): boolean {
  return refusals.some((key) => statusOf(key) === 404);
}

/** Sends the calls all at once, each from a shop of its own, and tells what came back and which shops were written to. */
async function send(hostile: readonly Hostile[]): Promise<Outcome[]> {
  const before = latest ?? (await fingerprints());
  const replies = await Promise.all(
    hostile.map(async (call) => ({
      ...call,
      ...(await calls.send({ ...call, token: tokenFor(call.route, call.shop) })),
    })),
  );
  const after = await fingerprints();
  latest = after;
  return replies.map((reply) => {
    const { appId } = reply.shop.client;
    const { method, path } = reply.route;
    if (reply.status < 300 && method !== 'get' && path.startsWith('/proforma_orders')) reply.shop.spent = true;
    return { ...reply, wrote: before.get(appId) !== after.get(appId) };
  });
}

/** Sends what `callsOf` makes for each shop in turn, as many at once as there are shops. */
async function sendAll<Case>(
  cases: readonly Case[],
  callOf: (each: Case, shop: FullShop) => Hostile,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const callsOf = (batch: readonly Case[]) => batch.map((each, index) => callOf(each, shops[index] as FullShop));
  for (const batch of batches(cases)) {
    await refreshAll(shops);
    outcomes.push(...(await send(callsOf(batch))));
  }
  return outcomes;
}

async function refreshAll(some: readonly FullShop[]): Promise<void> {
  if (some.some(({ spent }) => spent)) latest = undefined;
  await Promise.all(some.map(refresh));
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
    const [shop] = shops as [FullShop];
    for (const route of routes.filter(({ body }) => body)) {
      await refreshAll([shop]);
      const body = exampleOf(route, shop);
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
  const casesOf = (schema: BodySchema, shop: FullShop, route: Route) =>
    UNKNOWN.flatMap(({ name, what, value }) =>
      schema.unknownFields(name, valuesOf(shop, route)).map((field) => ({ field, what, value })),
    );

  it('is ignored, whatever it is called and holds', async () => {
    const outcomes: Outcome[] = [];
    for (const route of routes.filter(({ path, upload }) => !upload && !SPENT.has(path))) {
      const schema = calls.bodyOf(route);
      const cases = schema ? casesOf(schema, shops[0] as FullShop, route) : [];
      const call = ({ field, what, value }: (typeof cases)[number], shop: FullShop): Hostile => ({
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
  }, 600_000);
});

describe('every field of every body, holding what it should not', () => {
  let outcomes: Outcome[];

  beforeAll(async () => {
    outcomes = [];
    for (const route of routes) {
      const schema = calls.bodyOf(route);
      for (const field of schema?.fields() ?? []) {
        const call = ([name, value]: (typeof HOSTILE_VALUES)[number], shop: FullShop): Hostile => ({
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
  }, 600_000);

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
      const call = (text: string | undefined, shop: FullShop): Hostile => ({
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
  beforeAll(async () => {
    latest = undefined;
    await Promise.all(shops.map(({ client }) => setUpFullShop(client)));
  });

  let outcomes: Outcome[];

  beforeAll(async () => {
    outcomes = [];
    // Needs neither a record nor a body, so it would end the session of the calls that come after it.
    for (const route of routes.filter(({ path }) => path !== '/sessions/current')) {
      for (const parameter of [...Object.keys(route.query ?? {}), 'unknown']) {
        const call = (query: (name: string) => string, shop: FullShop): Hostile => ({
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
  }, 600_000);

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
  const places = () => named().flatMap((route) => parametersOf(route).map((parameter) => ({ route, parameter })));
  const sendIds = async (ids: readonly string[]): Promise<Outcome[]> => {
    const outcomes: Outcome[] = [];
    for (const { route, parameter } of places()) {
      const call = (id: string, shop: FullShop): Hostile => ({
        shop,
        route,
        what: `${parameter} ${id.slice(0, 100)}`,
        path: `${pathOf(route, shop, id, parameter)}?${requiredQuery(route, shop).join('&')}`,
        body: exampleOf(route, shop),
      });
      outcomes.push(...(await sendAll(ids, call)));
    }
    return outcomes;
  };

  it('is one of a record that the shops have, so that only the id is wrong', () => {
    const records = Object.keys((shops as [FullShop])[0].records);
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

describe('this suite', () => {
  it('has asked more than 20,000 questions', () => {
    expect(calls.count).toBeGreaterThan(20_000);
  });
});
