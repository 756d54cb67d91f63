import { SCOPES, type Scope } from '@back-office/apps';
import { RawHttp } from '../testing/raw-http.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';
import { BASE_PATH } from './base-path.js';
import { buildOpenApiDocument } from './openapi.js';
import { scopesOf, type Route } from './route.js';

let api: TestApi;
let http: RawHttp;
let shop: Client;
let scopedRoutes: readonly Route[];

beforeAll(async () => {
  api = await testApi();
  http = new RawHttp(api.origin);
  shop = await api.app();
  scopedRoutes = api.container.get(TOKENS.Routes).filter(({ caller }) => caller === 'app');
});
afterAll(async () => {
  http.close();
  await api.close();
});

const tokens = new Map<string, Promise<string | undefined>>();
const tokenWith = (scopes: readonly Scope[]): Promise<string | undefined> => {
  const key = scopes.join();
  const token = tokens.get(key) ?? api.container.get(TOKENS.Apps).issueToken({ appId: shop.appId, scopes });
  tokens.set(key, token);
  return token;
};

const call = async ({ method, path }: Route, scopes: readonly Scope[]) => {
  const { status, text, headers } = await http.call({
    method: method.toUpperCase(),
    path: BASE_PATH + path.replaceAll(/:\w+/g, '1'),
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${await tokenWith(scopes)}` },
    body: '{"cut":',
  });
  return { name: `${method} ${path}`, status, text, challenge: headers['www-authenticate'] };
};

describe('a token of an app', () => {
  it('is refused by every call whose scope it lacks', async () => {
    expect(scopedRoutes.length).toBeGreaterThan(60);
    const answers = scopedRoutes.map((route) =>
      call(
        route,
        SCOPES.filter((scope) => !scopesOf(route).includes(scope)),
      ),
    );
    expect(await Promise.all(answers)).toEqual(
      scopedRoutes.map(({ method, path, scope }) => ({
        name: `${method} ${path}`,
        status: 403,
        text: '{"errors":{"token":"API.Tokens.ScopeMissing"}}',
        challenge: `Bearer error="insufficient_scope", scope="${scopesOf({ scope })[0]}"`,
      })),
    );
  });

  it('is accepted by every call if it has one of its scopes', async () => {
    const answers = await Promise.all(
      scopedRoutes.flatMap((route) => scopesOf(route).map((scope) => call(route, [scope]))),
    );
    expect(answers.filter(({ status }) => [401, 403].includes(status) || status >= 500)).toEqual([]);
  });

  it('can have only scopes that some route requires', () => {
    // A change of the settings needs `audit:write` only to shorten the retention of the audit log.
    const usedScopes = new Set<Scope>([...scopedRoutes.flatMap(scopesOf), 'audit:write']);
    expect(SCOPES.filter((scope) => !usedScopes.has(scope))).toEqual([]);
  });
});

describe('the API reference', () => {
  it('shows the scope of each call of an app', () => {
    const { paths } = buildOpenApiDocument(scopedRoutes, '1') as { paths: Record<string, Record<string, object>> };
    for (const { method, path, scope } of scopedRoutes) {
      expect(paths[BASE_PATH + path.replaceAll(/:(\w+)/g, '{$1}')]?.[method]).toMatchObject({
        'x-scope': scope,
        description: expect.stringContaining(`Needs a token with the scope \`${scopesOf({ scope }).join('` or `')}\``),
        security: expect.arrayContaining([{ appToken: [] }]),
        responses: { default: { $ref: expect.stringMatching(/responses\/App(?:Keyed)?Errors$/) } },
      });
    }
  });
});
