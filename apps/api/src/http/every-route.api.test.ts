import { gzipSync } from 'node:zlib';
import { fingerprintsOf, type Fingerprints } from '../testing/fingerprints.js';
import { openFullShop, tokenFor, valuesOf, type FullShop } from '../testing/full-shop.js';
import { BROKEN_JSON } from '../testing/hostile-values.js';
import { nameOf, pathOf, requiredQuery, RouteCalls, type RouteAnswer, type RouteCall } from '../testing/route-calls.js';
import { startSession } from '../testing/shop.js';
import { testApi, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';
import { hashOfToken } from './authentication.js';
import { BASE_PATH } from './base-path.js';
import type { Route } from './route.js';

const LIMIT = 32 * 1024;

let api: TestApi;
let calls: RouteCalls;
let fingerprints: () => Promise<Fingerprints>;
let shop: FullShop;

beforeAll(async () => {
  api = await testApi({ JSON_LIMIT: String(LIMIT), UPLOAD_LIMIT: String(LIMIT) });
  calls = new RouteCalls(api);
  fingerprints = await fingerprintsOf(api.database);
  shop = await openFullShop(api);
}, 180_000);
afterAll(async () => {
  calls.close();
  await api.close();
});

/** What is wrong with a call that would be accepted otherwise. */
interface Wrong extends Partial<RouteCall> {
  readonly what: string;
  /** In place of the path with the ids of records that are there. */
  readonly path?: string;
}
type Expected = (answer: RouteAnswer, wrong: Wrong) => boolean;

/** Sends every route what is wrong about it, and tells what was not answered as expected, or was written. */
async function askEveryRoute(wrongsOf: (route: Route) => readonly Wrong[], isFine: Expected): Promise<string[]> {
  const found: string[] = [];
  for (const route of calls.routes) {
    const before = await fingerprints();
    const answers = await Promise.all(wrongsOf(route).map(async (wrong) => [wrong, await ask(route, wrong)] as const));
    for (const [wrong, answer] of answers) {
      if (!isFine(answer, wrong) || answer.complaints.length > 0) found.push(shown(route, wrong, answer));
    }
    if (answers.length > 0 && changed(before, await fingerprints())) found.push(`${nameOf(route)} has written`);
  }
  return found;
}

function ask(route: Route, wrong: Wrong): Promise<RouteAnswer> {
  const body = wrong.text === undefined ? calls.bodyOf(route)?.example(valuesOf(shop, route)) : undefined;
  const path = wrong.path ?? rightPath(route);
  return calls.send({ route, token: tokenFor(route, shop), body, ...wrong, path });
}

function rightPath(route: Route): string {
  const query = requiredQuery(route, shop).join('&');
  return pathOf(route, shop) + (query === '' ? '' : `?${query}`);
}

function shown(route: Route, { what }: Wrong, { status, answer, complaints }: RouteAnswer): string {
  return `${nameOf(route)} with ${what}: ${status} ${answer.slice(0, 200)} ${complaints.join('; ').slice(0, 300)}`;
}

function changed(before: Fingerprints, after: Fingerprints): boolean {
  return [...after].some(([appId, seen]) => before.get(appId) !== seen);
}

const says =
  (status: number, body: unknown): Expected =>
  (got) =>
    got.status === status && got.answer === JSON.stringify(body);
const detail = (text: string) => ({ errors: { detail: text } });

describe('every call, by somebody who does not say who calls', () => {
  type Failure = 'Missing' | 'Invalid' | 'Expired' | 'Revoked';
  interface WrongToken extends Wrong {
    readonly failure: Failure;
  }
  let wrongTokens: (route: Route) => WrongToken[];

  beforeAll(async () => {
    const { client } = shop;
    const fresh = async () => ({
      app: (await api.container.get(TOKENS.Apps).issueToken({ appId: client.appId })) as string,
      session: await startSession(client, { customer_external_ref: 'ana' }),
    });
    const [expired, revoked, anonymous] = [await fresh(), await fresh(), await startSession(client)];
    const hashes = (tokens: Readonly<Record<string, string>>) => Object.values(tokens).map(hashOfToken);
    const mark = (column: string, tokens: Readonly<Record<string, string>>) =>
      api.database.rows(`update access_tokens set ${column} = $2 where token_hash = any ($1)`, [
        hashes(tokens),
        api.clock.now(),
      ]);
    await mark('expires_at', expired);
    await mark('revoked_at', revoked);
    wrongTokens = (route) => {
      const kind = route.caller === 'app' ? 'app' : 'session';
      const right = tokenFor(route, shop);
      const wrong = (what: string, token: string | undefined, failure: Failure = 'Invalid'): WrongToken => ({
        what: `a token that is ${what}`,
        token,
        failure,
      });
      return [
        wrong('not there', undefined, 'Missing'),
        wrong('blank', ' '),
        wrong('unknown', `bo_${kind}_${'A'.repeat(43)}`),
        wrong('cut', right.slice(0, -1)),
        wrong('too long', `${right}A`),
        wrong('given twice', `${right}, Bearer ${right}`),
        wrong('SQL', "'or'1'='1"),
        wrong('10 kB', 'x'.repeat(10_000)),
        wrong('of the other kind', kind === 'app' ? shop.session : client.token),
        wrong('expired', expired[kind], 'Expired'),
        wrong('revoked', revoked[kind], 'Revoked'),
        ...(route.caller === 'customer' ? [wrong('of nobody', anonymous)] : []),
        { ...wrong('not of the scheme', undefined), headers: { Authorization: `Basic ${right}` } },
      ];
    };
  });

  /** The calls of consents tell a session without a customer so. */
  const isOfNobody = ({ status, answer }: RouteAnswer) =>
    status === 422 && answer.includes('API.CustomerChannelConsents.CustomerRequired');

  it('is unauthorized (401), is told why, and writes nothing', async () => {
    const isFine: Expected = (got, wrong) => {
      const { failure, what } = wrong as WrongToken;
      if (what.endsWith('of nobody') && isOfNobody(got)) return true;
      const isTold = says(401, { errors: { token: `API.Tokens.${failure}` } })(got, wrong);
      return isTold && got.head['www-authenticate'] === 'Bearer';
    };
    expect(await askEveryRoute(wrongTokens, isFine)).toEqual([]);
  });
});

describe('every call whose Accept header rules out what it answers', () => {
  const ACCEPTS = ['text/html', 'text/*', 'image/x-none', '*/*;q=0', 'application/json;q=0', 'garbage', ';', ','];

  it('is not acceptable (406), whoever calls, and writes nothing', async () => {
    const wrongs = ACCEPTS.flatMap((accept) => [
      { what: accept, headers: { Accept: accept } },
      { what: `${accept}, without a token`, headers: { Accept: accept }, token: undefined },
    ]);
    expect(await askEveryRoute(() => wrongs, says(406, detail('Not Acceptable')))).toEqual([]);
  });
});

describe('every path', () => {
  const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options', 'trace', 'propfind', 'purge', 'mkcol', 'lock'];

  function isServed(method: string, path: string): boolean {
    return calls.routes.some(
      (each) =>
        each.method === method && new RegExp(`^${BASE_PATH}${each.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
    );
  }

  it('with a method that it does not have is unknown (404, []), and writes nothing', async () => {
    const wrongsOf = (route: Route) => {
      const path = pathOf(route, shop);
      return METHODS.filter((method) => !isServed(method, path)).map((method) => ({ what: method, method, path }));
    };
    expect(await askEveryRoute(wrongsOf, says(404, []))).toEqual([]);
  });

  it('that is only like one of the interface is unknown (404, []), and writes nothing', async () => {
    const wrongsOf = (route: Route) => {
      const path = pathOf(route, shop);
      const own = path.slice(BASE_PATH.length);
      const [last = ''] = /[^/]*$/.exec(path) ?? [];
      return [
        `${path}/`,
        `${BASE_PATH}/${own}`,
        `/${path}`,
        BASE_PATH + own.toUpperCase(),
        BASE_PATH.toUpperCase() + own,
        BASE_PATH.replace('2', '1') + own,
        own,
        `${path.slice(0, -last.length - 1)}%2f${last}`,
        `${BASE_PATH}/x/..${own}`,
        `${BASE_PATH}/%2e${own}`,
      ]
        .filter((each) => !isServed(route.method, each))
        .map((each) => ({ what: each, path: each }));
    };
    expect(await askEveryRoute(wrongsOf, says(404, []))).toEqual([]);
  });
});

const takesBody = ({ method }: Route): boolean => method !== 'get';

describe('every call that may have a body', () => {
  const unreadable = says(400, detail('Bad Request'));
  const form = (content: string) =>
    `--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${content}`;
  const OF_A_FORM = { 'Content-Type': 'multipart/form-data; boundary=b' };

  it('which is no JSON, or no form, cannot be read (400), and writes nothing', async () => {
    const forms = ['', 'garbage', '--b\r\n', form('words'), `${form('words')}\r\n--c--`, form('').replace('file', '')];
    const wrongsOf = (route: Route): Wrong[] => {
      if (!takesBody(route)) return [];
      if (route.upload) {
        const bodies = forms.filter((text) => text !== '').map((text) => ({ what: text, text, headers: OF_A_FORM }));
        return [...bodies, { what: 'JSON', text: '{}' }];
      }
      return BROKEN_JSON.map((text) => ({ what: text, text }));
    };
    expect(await askEveryRoute(wrongsOf, unreadable)).toEqual([]);
  });

  it('which is of another type, charset or encoding, cannot be read (400), and writes nothing', async () => {
    const types = ['text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'garbage', '', 'text/json'];
    const jsonAlone = ['multipart/form-data; boundary=b', 'application/json; charset=utf-7'];
    const wrongsOf = (route: Route): Wrong[] => {
      if (!takesBody(route)) return [];
      const wrongs = [...types, ...(route.upload ? ['application/json'] : jsonAlone)];
      const typed = wrongs.map((type) => ({ what: type, headers: { 'Content-Type': type }, text: '{"a":1}' }));
      const encoded = { what: 'compress', headers: { 'Content-Encoding': 'compress' }, text: '{"a":1}' };
      return route.upload ? typed : [...typed, encoded];
    };
    expect(await askEveryRoute(wrongsOf, unreadable)).toEqual([]);
  });

  it('which is too large, is refused (413), and writes nothing', async () => {
    const json = `{"a":"${'x'.repeat(LIMIT)}"}`;
    const bomb = gzipSync(`{"a":"${'x'.repeat(50 * LIMIT)}"}`);
    expect(bomb.length).toBeLessThan(LIMIT);
    const file = `${form('x'.repeat(LIMIT + 1))}\r\n--b--\r\n`;
    const chunked = { 'Transfer-Encoding': 'chunked' };
    const wrongsOf = (route: Route): Wrong[] => {
      if (!takesBody(route)) return [];
      if (route.upload) {
        return [
          { what: 'a large file', text: file, headers: OF_A_FORM },
          { what: 'a large file in chunks', text: file, headers: { ...OF_A_FORM, ...chunked } },
        ];
      }
      return [
        { what: 'a large body', text: json },
        { what: 'a large body in chunks', text: json, headers: chunked },
        { what: 'a body that is large once unpacked', text: bomb, headers: { 'Content-Encoding': 'gzip' } },
      ];
    };
    expect(await askEveryRoute(wrongsOf, says(413, detail('Request Entity Too Large')))).toEqual([]);
  });
});

describe('this suite', () => {
  it('has asked every route many times', () => {
    expect(calls.count).toBeGreaterThan(calls.routes.length * 40);
  });
});
