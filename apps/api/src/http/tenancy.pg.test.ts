import type { BodyField, ExampleValues } from '../testing/body-fields.js';
import { watchWrites, tablesContaining, type WriteCounters } from '../testing/write-counters.js';
import {
  openFullShop,
  replaceUsedRecords,
  restoreSettings,
  tokenFor,
  valuesOf,
  type FullShop,
  recordOf,
} from '../testing/full-shop.js';
import { nameOf, parametersOf, pathOf, requiredQuery, RouteCalls, type RouteAnswer } from '../testing/route-calls.js';
import { startSession } from '../testing/shop.js';
import { testApi, type TestApi } from '../testing/test-api.js';
import type { Route } from './route.js';

// Two apps have the same codes, references and e-mail addresses. The stranger sends every call with its own token but
// with the owner's ids.

/** The owner has stored this text in every field; the stranger never sends it, so it must not appear in an answer. */
const SECRET = 'canary-7f3a9c';

let api: TestApi;
let calls: RouteCalls;
let readWriteCounters: () => Promise<WriteCounters>;
let owner: FullShop;
let stranger: FullShop;
let ownerAnswers: ReadonlyMap<string, RouteAnswer>;

beforeAll(async () => {
  api = await testApi();
  calls = new RouteCalls(api);
  readWriteCounters = await watchWrites(api.database);
  owner = await openFullShop(api);
  stranger = await openFullShop(api);
  await plantSecrets();
  ownerAnswers = await readAsOwner();
}, 180_000);
afterAll(async () => {
  calls.close();
  await api.close();
});

const queryOf = (parts: readonly string[]) => (parts.length === 0 ? '' : `?${parts.join('&')}`);

async function plantSecrets(): Promise<void> {
  for (const route of calls.routes) {
    const schema = calls.bodyOf(route);
    for (const field of schema?.textFields() ?? []) {
      await replaceUsedRecords(owner);
      const body = schema?.exampleWith(field, SECRET, valuesOf(owner, route));
      const { status } = await calls.send({ route, path: pathOf(route, owner), token: tokenFor(route, owner), body });
      if (status < 300 && route.path.startsWith('/proforma_orders')) owner.usedRecords = 'proforma and evaluation';
    }
  }
  await restoreSettings(owner.client);
  await replaceUsedRecords(owner);
}

async function readAsOwner(): Promise<Map<string, RouteAnswer>> {
  const answers = new Map<string, RouteAnswer>();
  for (const route of calls.routes.filter(({ method }) => method === 'get')) {
    // The export, which is read here too, adds an entry of its own.
    const filter = route.path === '/audit_log' ? ['action=settings.change'] : [];
    const path = pathOf(route, owner) + queryOf([...requiredQuery(route, owner), ...filter]);
    answers.set(nameOf(route), await calls.send({ route, path, token: tokenFor(route, owner) }));
  }
  return answers;
}

interface Attempt {
  readonly label: string;
  readonly reply: RouteAnswer;
  readonly isOwnerDataChanged: boolean;
  readonly hasChangedStranger: boolean;
}

async function attemptCall(route: Route, label: string, path: string, body?: unknown): Promise<Attempt> {
  const { client } = stranger;
  // A call may end the session of its token, so each call gets a new session.
  const token = route.caller === 'app' ? client.token : await startSession(client, { customer_external_ref: 'ana' });
  const countersBefore = await readWriteCounters();
  const reply = await calls.send({ route, path, token, body });
  const countersAfter = await readWriteCounters();
  const hasChanged = (appId: number): boolean => countersBefore.get(appId) !== countersAfter.get(appId);
  const hasChangedOwner = hasChanged(owner.client.appId);
  return {
    label: `${nameOf(route)} ${label}`,
    reply,
    isOwnerDataChanged: hasChangedOwner,
    hasChangedStranger: hasChanged(client.appId),
  };
}

function leaksOrHarms({ reply, isOwnerDataChanged: hasChangedOwner }: Attempt): boolean {
  return (
    hasChangedOwner || reply.status >= 500 || `${reply.replyText}${JSON.stringify(reply.replyHeaders)}`.includes(SECRET)
  );
}

function describeAttempt({ label, reply, isOwnerDataChanged: hasChangedOwner, hasChangedStranger }: Attempt): string {
  return `${label}: ${reply.status} ${reply.replyText.slice(0, 300)} ${hasChangedOwner ? 'OWNER CHANGED' : ''} ${hasChangedStranger ? 'stranger changed' : ''}`;
}

describe('the owner', () => {
  it('gets its secret text in most answers', async () => {
    const revealingAnswers = [...ownerAnswers.values()].filter(({ replyText }) => replyText.includes(SECRET));
    expect([...ownerAnswers].filter(([, { status }]) => status !== 200).map(([name]) => name)).toEqual([]);
    expect(revealingAnswers.length).toBeGreaterThan(ownerAnswers.size / 2);
    expect((await tablesContaining(api.database, owner.client.appId, SECRET)).length).toBeGreaterThan(10);
  });
});

describe('a stranger with the owner’s ids and body', () => {
  it('sees and changes nothing in any call', async () => {
    const attempts: Attempt[] = [];
    for (const route of calls.routes) {
      const path = pathOf(route, owner) + queryOf(requiredQuery(route, owner));
      const body = calls.bodyOf(route)?.example(valuesOf(owner, route));
      attempts.push(await attemptCall(route, 'with its ids and its body', path, body));
    }
    expect(attempts.filter(leaksOrHarms).map(describeAttempt)).toEqual([]);
  }, 180_000);
});

const ABSENT_ID = 987_654_321;
const ABSENT_KEY = 'aaaaaaaa/nothing.txt';

function withIdentifier({ reply }: Attempt, identifier: unknown, absentIdentifier: unknown): RouteAnswer {
  const replaceIdentifier = (value: unknown): unknown => {
    if (value === absentIdentifier || value === String(absentIdentifier)) return identifier;
    if (Array.isArray(value)) return value.map(replaceIdentifier);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, replaceIdentifier(entry)]));
  };
  return {
    ...reply,
    replyText: reply.replyText === '' ? '' : JSON.stringify(replaceIdentifier(JSON.parse(reply.replyText))),
  };
}

function toComparableText({ status, replyText, replyHeaders }: RouteAnswer) {
  const {
    date: _date,
    'x-request-id': _id,
    'content-length': _length,
    ratelimit: _limit,
    ...stableHead
  } = replyHeaders;
  return JSON.stringify([status, replyText, stableHead]);
}

function isDocumentedException({ reply: { status, replyText } }: Attempt): boolean {
  return status === 422 && replyText.includes('API.ProformaOrders.WrongApp');
}

interface AttemptPair {
  readonly foreignAttempt: Attempt;
  readonly missingAttempt: Attempt;
  readonly identifier: unknown;
  readonly absentIdentifier: unknown;
}

function looksMissing({ foreignAttempt, missingAttempt, identifier, absentIdentifier }: AttemptPair): boolean {
  const looksEqual =
    toComparableText(foreignAttempt.reply) ===
    toComparableText(withIdentifier(missingAttempt, identifier, absentIdentifier));
  const isRefused = foreignAttempt.reply.status >= 400;
  return (
    (looksEqual || isDocumentedException(foreignAttempt)) &&
    !(isRefused && foreignAttempt.hasChangedStranger) &&
    !leaksOrHarms(foreignAttempt)
  );
}

function expectToLookMissing(pairs: readonly AttemptPair[]): void {
  expect(
    pairs
      .filter((pair) => !looksMissing(pair))
      .map(({ foreignAttempt, missingAttempt }) => [describeAttempt(foreignAttempt), describeAttempt(missingAttempt)]),
  ).toEqual([]);
}

function pathWith(route: Route, parameter: string, id: number): string {
  return pathOf(route, stranger, String(id), parameter) + queryOf(requiredQuery(route, owner));
}

describe('a stranger with one id of the owner', () => {
  it('finds no record by an id in a path, and writes nothing', async () => {
    const pairs: AttemptPair[] = [];
    for (const route of calls.routes) {
      for (const parameter of parametersOf(route)) {
        const record: Readonly<Record<string, unknown>> = { ...recordOf(route, owner) };
        const identifier = record[parameter] as number;
        const body = calls.bodyOf(route)?.example(valuesOf(stranger, route));
        const foreignAttempt = await attemptCall(
          route,
          `with the owner's ${parameter}`,
          pathWith(route, parameter, identifier),
          body,
        );
        const missingAttempt = await attemptCall(
          route,
          `with a missing ${parameter}`,
          pathWith(route, parameter, ABSENT_ID),
          body,
        );
        pairs.push({ foreignAttempt, missingAttempt, identifier, absentIdentifier: ABSENT_ID });
      }
    }
    expect(pairs.length).toBeGreaterThan(15);
    expectToLookMissing(pairs);
    expect(
      pairs
        .filter(({ foreignAttempt }) => foreignAttempt.hasChangedStranger)
        .map(({ foreignAttempt }) => describeAttempt(foreignAttempt)),
    ).toEqual([]);
  }, 180_000);

  it('finds no record by an id in a body, and writes nothing when refused', async () => {
    const pairs: AttemptPair[] = [];
    for (const route of calls.routes) {
      for (const field of findIdentifierFields(route)) {
        const identifier = valueAt(exampleOf(route, owner), field);
        const absentIdentifier = absentIdentifierLike(identifier);
        const fieldPath = field.path.join('.');
        const foreignAttempt = await attemptCall(
          route,
          `with the owner's ${fieldPath}`,
          pathOf(route, stranger),
          bodyWith(route, field, identifier),
        );
        const missingAttempt = await attemptCall(
          route,
          `with a missing ${fieldPath}`,
          pathOf(route, stranger),
          bodyWith(route, field, absentIdentifier),
        );
        pairs.push({ foreignAttempt, missingAttempt, identifier, absentIdentifier });
        stranger.usedRecords = 'proforma and evaluation';
        await replaceUsedRecords(stranger);
      }
    }
    expect(pairs.length).toBeGreaterThan(10);
    expectToLookMissing(pairs);
  }, 180_000);

  it('sees and changes nothing with an id in a query', async () => {
    const attempts: Attempt[] = [];
    for (const route of calls.routes) {
      for (const parameter of Object.keys(route.query ?? {})) {
        for (const identifier of [...identifiersOf(owner), SECRET]) {
          const otherParameters = requiredQuery(route, stranger).filter((part) => !part.startsWith(`${parameter}=`));
          const query = queryOf([...otherParameters, `${parameter}=${encodeURIComponent(String(identifier))}`]);
          // This test is only about the query, so writes use the id of a missing record.
          const path = pathOf(route, stranger, route.method === 'get' ? undefined : String(ABSENT_ID)) + query;
          attempts.push(await attemptCall(route, `?${parameter}=${String(identifier)}`, path));
        }
      }
    }
    expect(attempts.length).toBeGreaterThan(500);
    expect(attempts.filter(leaksOrHarms).map(describeAttempt)).toEqual([]);
  }, 300_000);
});

function exampleOf(route: Route, shop: FullShop): unknown {
  return calls.bodyOf(route)?.example(valuesOf(shop, route));
}

/** These fields contain random numbers, which may equal an id by chance. */
const PARTS = new Set<unknown>(['data_part', 'time_part']);

function findIdentifierFields(route: Route): BodyField[] {
  const [ownerExample, strangerExample, ownerIdentifiers] = [
    exampleOf(route, owner),
    exampleOf(route, stranger),
    identifiersOf(owner),
  ];
  const isIdentifier = (field: BodyField): boolean =>
    !PARTS.has(field.path.at(-1)) && ownerIdentifiers.has(valueAt(ownerExample, field));
  return (calls.bodyOf(route)?.fields() ?? []).filter(
    (field) => isIdentifier(field) && valueAt(ownerExample, field) !== valueAt(strangerExample, field),
  );
}

function bodyWith(route: Route, field: BodyField, value: unknown): unknown {
  const { data_part, time_part } = valuesOf(owner, route);
  return calls.bodyOf(route)?.exampleWith(field, value, { ...valuesOf(stranger, route), data_part, time_part });
}

function identifiersOf({ records, cashMethodId, folderId, file, trashedFile, evaluationId }: FullShop): Set<unknown> {
  const ids = Object.values(records).flatMap(({ id, payment_id: payment, refund_id: refund, items }) => [
    id,
    payment,
    refund,
    ...(items ?? []).map((item) => item.proforma_order_item_id),
  ]);
  const identifiers = [...ids, cashMethodId, folderId, file.id, file.key, file.url, trashedFile.id, evaluationId];
  return new Set<unknown>(identifiers.filter((identifier) => identifier !== undefined));
}

function absentIdentifierLike(identifier: unknown): unknown {
  if (typeof identifier === 'number') return ABSENT_ID;
  return String(identifier).replace(/[a-z0-9]{8}\/[^/]+$/, ABSENT_KEY);
}

function valueAt(body: unknown, { path }: BodyField): unknown {
  return path.reduce<unknown>((part, step) => (part as ExampleValues | undefined)?.[step], body);
}

describe('an Idempotency-Key', () => {
  it('does not replay the answer of another token', async () => {
    const [appA, appB] = [await api.app(), await api.app()];
    const customer = { email: 'keyed@example.com', first_name: 'A', last_name: 'B' };
    const firstReply = await appA.keyed('one').post('/customers', { customer });
    const secondReply = await appB.keyed('one').post('/customers', { customer });
    expect([firstReply.status, secondReply.status]).toEqual([201, 201]);
    expect(secondReply.body.data.id).not.toBe(firstReply.body.data.id);
    expect(secondReply.headers).not.toHaveProperty('idempotency-replayed');
  });
});

describe('after all attempts', () => {
  it('the owner’s answers have not changed', async () => {
    const answersAfter = await readAsOwner();
    for (const [name, { status, replyText }] of ownerAnswers) {
      expect([name, answersAfter.get(name)?.status, answersAfter.get(name)?.replyText]).toEqual([
        name,
        status,
        replyText,
      ]);
    }
  });

  it('no table row of the stranger contains the secret', async () => {
    expect(await tablesContaining(api.database, stranger.client.appId, SECRET)).toEqual([]);
  });
});
