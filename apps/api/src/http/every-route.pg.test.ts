import { gzipSync } from 'node:zlib';
import { watchWrites, type WriteCounters } from '../testing/write-counters.js';
import { openFullShop, tokenFor, valuesOf, type FullShop } from '../testing/full-shop.js';
import { BROKEN_JSON } from '../testing/hostile-values.js';
import { nameOf, pathOf, requiredQuery, RouteCalls, type RouteAnswer, type RouteCall } from '../testing/route-calls.js';
import { startSession } from '../testing/shop.js';
import { testApi, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';
import { hashToken } from './authentication.js';
import { BASE_PATH } from './base-path.js';
import type { Route } from './route.js';

const MAX_BODY_BYTES = 32 * 1024;

let api: TestApi;
let calls: RouteCalls;
let readWriteCounters: () => Promise<WriteCounters>;
let shop: FullShop;

beforeAll(async () => {
  const limits = { JSON_LIMIT: String(MAX_BODY_BYTES), UPLOAD_LIMIT: String(MAX_BODY_BYTES) };
  api = await testApi({ ...limits, TRUST_PROXY: '127.0.0.1' });
  calls = new RouteCalls(api);
  readWriteCounters = await watchWrites(api.database);
  shop = await openFullShop(api);
}, 180_000);
afterAll(async () => {
  calls.close();
  await api.close();
});

interface CallError extends Partial<RouteCall> {
  readonly label: string;
  readonly path?: string;
}
type AnswerPredicate = (answer: RouteAnswer, error: CallError) => boolean;

async function probeRoutes(
  errorsOf: (route: Route) => readonly CallError[],
  isExpected: AnswerPredicate,
): Promise<string[]> {
  const violations: string[] = [];
  for (const route of calls.routes) {
    const countersBefore = await readWriteCounters();
    const answers = await Promise.all(errorsOf(route).map(async (error) => [error, await send(route, error)] as const));
    for (const [error, answer] of answers) {
      if (!isExpected(answer, error) || answer.deviations.length > 0)
        violations.push(describeAnswer(route, error, answer));
    }
    if (answers.length > 0 && haveChanged(countersBefore, await readWriteCounters()))
      violations.push(`${nameOf(route)} has written`);
  }
  return violations;
}

function send(route: Route, error: CallError): Promise<RouteAnswer> {
  const body = error.text === undefined ? calls.bodyOf(route)?.example(valuesOf(shop, route)) : undefined;
  const path = error.path ?? validPathOf(route);
  // The service slows down an address that sends many calls without a valid token, so each route has its own.
  const index = calls.routes.indexOf(route);
  const headers = { 'X-Forwarded-For': `10.0.${index >> 8}.${index & 255}`, ...error.headers };
  return calls.send({ route, token: tokenFor(route, shop), body, ...error, headers, path });
}

function validPathOf(route: Route): string {
  const query = requiredQuery(route, shop).join('&');
  return pathOf(route, shop) + (query === '' ? '' : `?${query}`);
}

function describeAnswer(route: Route, { label }: CallError, { status, replyText, deviations }: RouteAnswer): string {
  return `${nameOf(route)} with ${label}: ${status} ${replyText.slice(0, 200)} ${deviations.join('; ').slice(0, 300)}`;
}

function haveChanged(before: WriteCounters, after: WriteCounters): boolean {
  return [...after].some(([appId, fingerprint]) => before.get(appId) !== fingerprint);
}

const hasAnswer =
  (status: number, body: unknown): AnswerPredicate =>
  (actual) =>
    actual.status === status && actual.replyText === JSON.stringify(body);
const detailError = (text: string) => ({ errors: { detail: text } });

describe('a call with an invalid token', () => {
  type Failure = 'Missing' | 'Invalid' | 'Expired' | 'Revoked';
  interface TokenError extends CallError {
    readonly failure: Failure;
  }
  let tokenErrors: (route: Route) => TokenError[];

  beforeAll(async () => {
    const { client } = shop;
    const makeTokens = async () => ({
      app: (await api.container.get(TOKENS.Apps).issueToken({ appId: client.appId })) as string,
      session: await startSession(client, { customer_external_ref: 'ana' }),
    });
    const [expiredTokens, revokedTokens, anonymousToken] = [
      await makeTokens(),
      await makeTokens(),
      await startSession(client),
    ];
    const hashesOf = (tokens: Readonly<Record<string, string>>) => Object.values(tokens).map(hashToken);
    const setColumnNow = (column: string, tokens: Readonly<Record<string, string>>) =>
      api.database.rows(`update access_tokens set ${column} = $3 where app_id = $1 and token_hash = any ($2)`, [
        client.appId,
        hashesOf(tokens),
        api.clock.now(),
      ]);
    await setColumnNow('expires_at', expiredTokens);
    await setColumnNow('revoked_at', revokedTokens);
    tokenErrors = (route) => {
      const kind = route.caller === 'app' ? 'app' : 'session';
      const validToken = tokenFor(route, shop);
      const tokenError = (label: string, token: string | undefined, failure: Failure = 'Invalid'): TokenError => ({
        label: `a token that is ${label}`,
        token,
        failure,
      });
      return [
        tokenError('missing', undefined, 'Missing'),
        tokenError('blank', ' '),
        tokenError('unknown', `bo_${kind}_${'A'.repeat(43)}`),
        tokenError('cut', validToken.slice(0, -1)),
        tokenError('too long', `${validToken}A`),
        tokenError('given twice', `${validToken}, Bearer ${validToken}`),
        tokenError('SQL', "'or'1'='1"),
        tokenError('10 kB', 'x'.repeat(10_000)),
        tokenError('of the other kind', kind === 'app' ? shop.sessionToken : client.token),
        tokenError('expired', expiredTokens[kind], 'Expired'),
        tokenError('revoked', revokedTokens[kind], 'Revoked'),
        ...(route.caller === 'customer' ? [tokenError('anonymous', anonymousToken)] : []),
        { ...tokenError('of another scheme', undefined), headers: { Authorization: `Basic ${validToken}` } },
      ];
    };
  });

  const isCustomerRequired = ({ status, replyText }: RouteAnswer) =>
    status === 422 && replyText.includes('API.CustomerChannelConsents.CustomerRequired');

  it('answers 401 with the reason and writes nothing', async () => {
    const isExpected: AnswerPredicate = (actual, error) => {
      const { failure, label } = error as TokenError;
      if (label.endsWith('anonymous') && isCustomerRequired(actual)) return true;
      const hasReason = hasAnswer(401, { errors: { token: `API.Tokens.${failure}` } })(actual, error);
      return hasReason && actual.replyHeaders['www-authenticate'] === 'Bearer';
    };
    expect(await probeRoutes(tokenErrors, isExpected)).toEqual([]);
  });
});

describe('a call whose Accept header excludes its answer', () => {
  const ACCEPTS = ['text/html', 'text/*', 'image/x-none', '*/*;q=0', 'application/json;q=0', 'garbage', ';', ','];

  it('answers 406 with any token and writes nothing', async () => {
    const errors = ACCEPTS.flatMap((accept) => [
      { label: accept, headers: { Accept: accept } },
      { label: `${accept}, without a token`, headers: { Accept: accept }, token: undefined },
    ]);
    expect(await probeRoutes(() => errors, hasAnswer(406, detailError('Not Acceptable')))).toEqual([]);
  });
});

function isServed(method: string, path: string): boolean {
  return calls.routes.some(
    (candidate) =>
      candidate.method === method &&
      new RegExp(`^${BASE_PATH}${candidate.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
  );
}

describe('a path of the interface', () => {
  const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'trace', 'propfind', 'purge', 'mkcol', 'lock'];

  it('returns 404 with the body [] for other methods and writes nothing', async () => {
    const errorsOf = (route: Route) => {
      const path = pathOf(route, shop);
      return METHODS.filter((method) => !isServed(method, path)).map((method) => ({ label: method, method, path }));
    };
    expect(await probeRoutes(errorsOf, hasAnswer(404, []))).toEqual([]);
  });
});

describe('a misspelt route path', () => {
  it('returns 404 with the body [] and writes nothing', async () => {
    const errorsOf = (route: Route) => {
      const path = pathOf(route, shop);
      const relativePath = path.slice(BASE_PATH.length);
      const [lastSegment = ''] = /[^/]*$/.exec(path) ?? [];
      return [
        `${path}/`,
        `${BASE_PATH}/${relativePath}`,
        `/${path}`,
        BASE_PATH + relativePath.toUpperCase(),
        BASE_PATH.toUpperCase() + relativePath,
        BASE_PATH.replace('2', '1') + relativePath,
        relativePath,
        `${path.slice(0, -lastSegment.length - 1)}%2f${lastSegment}`,
        `${BASE_PATH}/x/..${relativePath}`,
        `${BASE_PATH}/%2e${relativePath}`,
      ]
        .filter((changedPath) => !isServed(route.method, changedPath))
        .map((changedPath) => ({ label: changedPath, path: changedPath }));
    };
    expect(await probeRoutes(errorsOf, hasAnswer(404, []))).toEqual([]);
  });
});

const canHaveBody = ({ method }: Route): boolean => method !== 'get';

describe('a call with a body', () => {
  const isBadRequest = hasAnswer(400, detailError('Bad Request'));
  const form = (content: string) =>
    `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${content}`;
  const FORM_TYPE = { 'Content-Type': 'multipart/form-data; boundary=b' };

  it('returns 400 when the body is neither JSON nor a form, and writes nothing', async () => {
    const forms = ['', 'garbage', '--b\r\n', form('words'), `${form('words')}\r\n--c--`, form('').replace('file', '')];
    const errorsOf = (route: Route): CallError[] => {
      if (!canHaveBody(route)) return [];
      if (route.upload) {
        const bodies = forms.filter((text) => text !== '').map((text) => ({ label: text, text, headers: FORM_TYPE }));
        return [...bodies, { label: 'JSON', text: '{}' }];
      }
      return BROKEN_JSON.map((text) => ({ label: text, text }));
    };
    expect(await probeRoutes(errorsOf, isBadRequest)).toEqual([]);
  });

  it('returns 400 for a body of another type, charset or encoding, and writes nothing', async () => {
    const types = ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'garbage', '', 'text/json'];
    const notJson = ['multipart/form-data; boundary=b', 'application/json; charset=utf-7'];
    const errorsOf = (route: Route): CallError[] => {
      if (!canHaveBody(route)) return [];
      const wrongTypes = [...types, ...(route.upload ? ['application/json'] : notJson)];
      const wrongTypeErrors = wrongTypes.map((type) => ({
        label: type,
        headers: { 'Content-Type': type },
        text: '{"a":1}',
      }));
      const encodingError = { label: 'compress', headers: { 'Content-Encoding': 'compress' }, text: '{"a":1}' };
      return route.upload ? wrongTypeErrors : [...wrongTypeErrors, encodingError];
    };
    expect(await probeRoutes(errorsOf, isBadRequest)).toEqual([]);
  });

  it('returns 413 when the body is too large, and writes nothing', async () => {
    const json = `{"a":"${'x'.repeat(MAX_BODY_BYTES)}"}`;
    const gzipBomb = gzipSync(`{"a":"${'x'.repeat(50 * MAX_BODY_BYTES)}"}`);
    expect(gzipBomb.length).toBeLessThan(MAX_BODY_BYTES);
    const file = `${form('x'.repeat(MAX_BODY_BYTES + 1))}\r\n--b--\r\n`;
    const chunkedHeaders = { 'Transfer-Encoding': 'chunked' };
    const faultyCallsOf = (route: Route): CallError[] => {
      if (!canHaveBody(route)) return [];
      if (route.upload) {
        return [
          { label: 'a large file', text: file, headers: FORM_TYPE },
          { label: 'a large file in chunks', text: file, headers: { ...FORM_TYPE, ...chunkedHeaders } },
        ];
      }
      return [
        { label: 'a large body', text: json },
        { label: 'a large body in chunks', text: json, headers: chunkedHeaders },
        { label: 'a body that is large once unpacked', text: gzipBomb, headers: { 'Content-Encoding': 'gzip' } },
      ];
    };
    expect(await probeRoutes(faultyCallsOf, hasAnswer(413, detailError('Request Entity Too Large')))).toEqual([]);
  });
});

describe('this suite', () => {
  it('has called every route many times', () => {
    expect(calls.count).toBeGreaterThan(calls.routes.length * 40);
  });
});
