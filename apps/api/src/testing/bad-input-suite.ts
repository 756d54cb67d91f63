import type { BodySchema } from './body-fields.js';
import { failedRows, isErrorEntry } from './conformance.js';
import { watchWrites, type WriteCounters } from './write-counters.js';
import {
  openFullShop,
  replaceToken,
  replaceUsedRecords,
  restoreSettings,
  tokenFor,
  valuesOf,
  type FullShop,
  recordOf,
} from './full-shop.js';
import type { HostileInput } from './hostile-values.js';
import {
  nameOf,
  parametersOf,
  pathOf,
  requiredQuery,
  RouteCalls,
  type RouteAnswer,
  type RouteCall,
} from './route-calls.js';
import { testApi, type TestApi } from './test-api.js';
import { statusOf } from '../http/errors.js';
import type { Route } from '../http/route.js';

interface HostileCall extends RouteCall {
  readonly shop: FullShop;
  readonly field?: string;
  readonly label: string;
}

interface CallOutcome extends HostileCall, RouteAnswer {
  readonly hasWritten: boolean;
}

/** Describes the suite that sends each hostile value to every field, parameter and id of all routes. */
export function describeBadInput(input: HostileInput, minimumCalls: number): void {
  let api: TestApi;
  let calls: RouteCalls;
  let routes: readonly Route[];
  let readWriteCounters: () => Promise<WriteCounters>;
  let shops: FullShop[];
  let latestCounters: WriteCounters | undefined;

  beforeAll(async () => {
    api = await testApi();
    calls = new RouteCalls(api);
    routes = calls.routes;
    readWriteCounters = await watchWrites(api.database);
    // Hostile queries contain small numbers, so file ids start high to avoid accidental matches.
    await api.database.rows(`select setval(pg_get_serial_sequence('cdn_files', 'id'), 1000000)`);
    shops = await Promise.all(input.values.map(() => openFullShop(api)));
  }, 600_000);
  afterAll(async () => {
    calls.close();
    await api.close();
  });

  const ABSENT_ID = '987654321';
  const REVOCATION = 'delete /access_tokens/:id';

  function exampleOf(route: Route, shop: FullShop): unknown {
    return calls.bodyOf(route)?.example(valuesOf(shop, route));
  }

  function canAnswer404({ refusals = [] }: Route): boolean {
    return refusals.some((key) => statusOf(key) === 404);
  }

  async function send(hostile: readonly HostileCall[]): Promise<CallOutcome[]> {
    const countersBefore = latestCounters ?? (await readWriteCounters());
    const replies = await Promise.all(
      hostile.map(async (call) => ({
        ...call,
        ...(await calls.send({ ...call, token: tokenFor(call.route, call.shop) })),
      })),
    );
    const countersAfter = await readWriteCounters();
    latestCounters = countersAfter;
    const revoked = replies.filter((reply) => reply.status < 300 && nameOf(reply.route) === REVOCATION);
    await Promise.all(revoked.map(({ shop }) => replaceToken(shop)));
    if (revoked.length > 0) latestCounters = undefined;
    return replies.map((reply) => {
      const { appId } = reply.shop.client;
      if (reply.status < 300) reply.shop.usedRecords = recordsUsedBy(reply);
      return { ...reply, hasWritten: countersBefore.get(appId) !== countersAfter.get(appId) };
    });
  }

  function recordsUsedBy({ route: { method, path }, shop: { usedRecords } }: HostileCall): FullShop['usedRecords'] {
    if (method === 'get' || !path.startsWith('/proforma_orders')) return usedRecords;
    return path === '/proforma_orders' && usedRecords !== 'proforma and evaluation'
      ? 'evaluation'
      : 'proforma and evaluation';
  }

  async function sendAll<Case>(
    cases: readonly Case[],
    callOf: (each: Case, shop: FullShop) => HostileCall,
  ): Promise<CallOutcome[]> {
    const outcomes: CallOutcome[] = [];
    const callsOf = (batch: readonly Case[]) => batch.map((value, index) => callOf(value, shops[index] as FullShop));
    for (const batch of splitIntoBatches(cases)) {
      await refreshAll(shops);
      outcomes.push(...(await send(callsOf(batch))));
    }
    return outcomes;
  }

  async function refreshAll(shopsToRefresh: readonly FullShop[]): Promise<void> {
    if (shopsToRefresh.some(({ usedRecords }) => usedRecords !== 'nothing')) latestCounters = undefined;
    await Promise.all(shopsToRefresh.map(replaceUsedRecords));
  }

  function splitIntoBatches<Case>(cases: readonly Case[]): Case[][] {
    const starts = Array.from({ length: Math.ceil(cases.length / shops.length) }, (_, index) => index * shops.length);
    return starts.map((start) => cases.slice(start, start + shops.length));
  }

  function describeOutcome({ route, field = '', label, status, replyText, deviations }: CallOutcome): string {
    return `${nameOf(route)} ${field} with ${label}: ${status} ${replyText.slice(0, 200)} ${deviations.join('; ').slice(0, 300)}`;
  }

  function expectNone(outcomes: readonly CallOutcome[]): void {
    expect(outcomes.map(describeOutcome)).toEqual([]);
  }

  function isRefused({ status, replyText }: CallOutcome): boolean {
    if (status >= 400) return true;
    const { data } = JSON.parse(replyText || '{}');
    return failedRows(data).length > 0 || (Array.isArray(data) && data.some(isErrorEntry));
  }

  describe('the example of every body', () => {
    it('is accepted by its call', async () => {
      const [shop] = shops as [FullShop];
      for (const route of routes.filter(({ body }) => body)) {
        await refreshAll([shop]);
        const body = exampleOf(route, shop);
        const [outcome] = await send([{ shop, route, label: 'its example', path: pathOf(route, shop), body }]);
        const { status, replyText, deviations } = outcome as CallOutcome;
        const isAccepted = !isRefused(outcome as CallOutcome);
        expect({
          call: nameOf(route),
          accepted: isAccepted,
          complaints: deviations,
          ...(!isAccepted && { status, answer: replyText }),
        }).toEqual({
          call: nameOf(route),
          accepted: true,
          complaints: [],
        });
      }
    });
  });

  describe('an unknown field in any object of a body', () => {
    const unknownFields = [
      ...input.unknownValues.map(([label, value]) => ({ name: 'unknown', label, value })),
      ...input.unknownNames.map((name) => ({ name, label: 'x', value: 'x' })),
    ];
    const SINGLE_USE_CALLS = new Set([REVOCATION, 'delete /cdn/files/purge', 'post /cdn/files/:id/revert']);
    const casesOf = (schema: BodySchema, shop: FullShop, route: Route) =>
      unknownFields.flatMap(({ name, label, value }) =>
        schema.unknownFields(name, valuesOf(shop, route)).map((field) => ({ field, label, value })),
      );

    it('is ignored for every name and value', async () => {
      const outcomes: CallOutcome[] = [];
      for (const route of routes.filter((each) => !each.upload && !SINGLE_USE_CALLS.has(nameOf(each)))) {
        const schema = calls.bodyOf(route);
        const cases = schema ? casesOf(schema, shops[0] as FullShop, route) : [];
        const call = ({ field, label, value }: (typeof cases)[number], shop: FullShop): HostileCall => ({
          shop,
          route,
          field: field.path.join('.'),
          label,
          path: pathOf(route, shop),
          body: schema?.exampleWith(field, value, valuesOf(shop, route)),
        });
        outcomes.push(...(await sendAll(cases, call)));
      }
      expect(outcomes.length).toBeGreaterThan(250);
      expectNone(outcomes.filter((outcome) => isRefused(outcome) || outcome.deviations.length > 0));
    }, 600_000);
  });

  describe('a field of a body with a hostile value', () => {
    let outcomes: CallOutcome[];

    beforeAll(async () => {
      outcomes = [];
      for (const route of routes) {
        const schema = calls.bodyOf(route);
        for (const field of schema?.fields() ?? []) {
          const call = ([name, value]: (typeof input.values)[number], shop: FullShop): HostileCall => ({
            shop,
            route,
            field: field.path.join('.'),
            label: name,
            path: pathOf(route, shop),
            body: schema?.exampleWith(field, value, valuesOf(shop, route)),
          });
          outcomes.push(...(await sendAll(input.values, call)));
        }
      }
    }, 600_000);

    it('is accepted or answered 400 or 422', () => {
      const isExpected = ({ status, route }: CallOutcome): boolean =>
        status < 300 || status === 400 || status === 422 || (status === 404 && canAnswer404(route));
      expectNone(outcomes.filter((outcome) => !isExpected(outcome)));
    });

    it('is answered as the API reference documents', () => {
      expectNone(outcomes.filter(({ deviations }) => deviations.length > 0));
    });

    it('writes nothing when it is refused', () => {
      expectNone(outcomes.filter((outcome) => outcome.hasWritten && isRefused(outcome)));
      expect(outcomes.filter(isRefused).length).toBeGreaterThan(1_000);
      expect(outcomes.filter((outcome) => outcome.hasWritten && !isRefused(outcome)).length).toBeGreaterThan(500);
    });

    it('is refused at least once in every field', () => {
      const nameOfField = ({ route, field }: CallOutcome): string => `${nameOf(route)} ${field}`;
      const refusedFields = new Set(outcomes.filter(isRefused).map(nameOfField));
      expect([...new Set(outcomes.map(nameOfField))].filter((field) => !refusedFields.has(field))).toEqual([]);
    });

    it('is refused when it contains NUL or half of a surrogate pair', () => {
      const invalidTexts = outcomes.filter(
        ({ label, route }) => label === 'NUL' || (label === 'half of a surrogate pair' && !route.upload),
      );
      expect(invalidTexts.length).toBeGreaterThan(100);
      expectNone(invalidTexts.filter((outcome) => !isRefused(outcome)));
    });
  });

  describe('a call with a body', () => {
    it('answers 400 to a missing or invalid body, and writes nothing', async () => {
      const outcomes: CallOutcome[] = [];
      for (const route of routes.filter(({ body }) => body)) {
        const texts = route.bodyOptional ? input.bodies : [...input.bodies, undefined];
        const call = (text: string | undefined, shop: FullShop): HostileCall => ({
          shop,
          route,
          label: text ?? 'nothing',
          path: pathOf(route, shop),
          text,
        });
        outcomes.push(...(await sendAll(texts, call)));
      }
      expectNone(
        outcomes.filter(({ status, deviations, hasWritten }) => status !== 400 || deviations.length > 0 || hasWritten),
      );
    });
  });

  describe('a query parameter with a hostile value', () => {
    beforeAll(async () => {
      latestCounters = undefined;
      await Promise.all(shops.map(({ client }) => restoreSettings(client)));
    });

    let outcomes: CallOutcome[];

    beforeAll(async () => {
      outcomes = [];
      for (const route of routes.filter(({ path }) => path !== '/sessions/current')) {
        for (const parameter of [...Object.keys(route.query ?? {}), 'unknown']) {
          const call = (query: (name: string) => string, shop: FullShop): HostileCall => ({
            shop,
            route,
            field: parameter,
            label: query(parameter).slice(0, 100),
            // This test is only about the query, so writes use the id of a missing record.
            path: `${pathOf(route, shop, route.method === 'get' ? undefined : ABSENT_ID)}?${[
              ...requiredQuery(route, shop).filter((part) => !part.startsWith(`${parameter}=`)),
              query(parameter),
            ].join('&')}`,
          });
          outcomes.push(...(await sendAll(input.queries, call)));
        }
      }
    }, 600_000);

    it('is answered 200, 400, 404 or 422, and nothing is written', () => {
      const isExpected = ({ status, route }: CallOutcome): boolean =>
        [200, 400, 404].includes(status) || (status === 422 && route.refusals !== undefined);
      // An export writes an entry of the audit log.
      const isAudited = ({ status, route }: CallOutcome): boolean => status === 200 && route.path.endsWith('/export');
      expectNone(outcomes.filter((outcome) => !isExpected(outcome) || (outcome.hasWritten && !isAudited(outcome))));
    });

    it('is answered as the API reference documents', () => {
      expectNone(outcomes.filter(({ deviations }) => deviations.length > 0));
    });

    it('is ignored when the parameter is unknown', () => {
      const unknownParameters = outcomes.filter(({ route, field }) => route.method === 'get' && field === 'unknown');
      expect(unknownParameters.length).toBeGreaterThan(100);
      expectNone(unknownParameters.filter(({ status }) => status === 404));
    });
  });

  describe('an id in a path', () => {
    const routesWithId = () => routes.filter(({ path }) => path.includes(':id'));
    const idParameters = () =>
      routesWithId().flatMap((route) => parametersOf(route).map((parameter) => ({ route, parameter })));
    const sendIds = async (ids: readonly string[]): Promise<CallOutcome[]> => {
      const outcomes: CallOutcome[] = [];
      for (const { route, parameter } of idParameters()) {
        const call = (id: string, shop: FullShop): HostileCall => ({
          shop,
          route,
          label: `${parameter} ${id.slice(0, 100)}`,
          path: `${pathOf(route, shop, id, parameter)}?${requiredQuery(route, shop).join('&')}`,
          body: exampleOf(route, shop),
        });
        outcomes.push(...(await sendAll(ids, call)));
      }
      return outcomes;
    };

    it('always belongs to a kind of record that the test shops contain', () => {
      for (const route of routesWithId())
        expect(recordOf(route, (shops as [FullShop])[0]).id).toEqual(expect.any(Number));
    });

    it('is answered 404 or an empty list when no record has the id, and nothing is written', async () => {
      const outcomes = await sendIds(input.ids);
      const hasKey = ({ replyText, route }: CallOutcome): boolean => replyText.includes(route.missingKey ?? 'no key');
      const hasFoundNothing = (outcome: CallOutcome): boolean =>
        outcome.route.emptyWhenMissing
          ? outcome.status === 200 && outcome.replyText === '{"data":[]}'
          : outcome.status === 404 && (outcome.replyText === '' || hasKey(outcome));
      expectNone(outcomes.filter((outcome) => !hasFoundNothing(outcome) || outcome.hasWritten));
    });

    it('is answered 400 when it cannot be decoded, and nothing is written', async () => {
      const outcomes = await sendIds(input.undecodableIds);
      expectNone(
        outcomes.filter(({ status, deviations, hasWritten }) => status !== 400 || deviations.length > 0 || hasWritten),
      );
    });
  });

  describe('this suite', () => {
    it(`has sent more than ${minimumCalls} calls`, () => {
      expect(calls.count).toBeGreaterThan(minimumCalls);
    });
  });
}
