import { BodySchema } from '../testing/body-fields.js';
import { newCustomer, startSession } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';
import { API_VERSION } from '../version.js';
import { BASE_PATH } from './base-path.js';
import { errorKeysOf } from './error-keys.js';
import { buildOpenApiDocument } from './openapi.js';
import type { Route } from './route.js';

let api: TestApi;
let routes: readonly Route[];
let messages: readonly string[];
let shop: Client;
let phone: Client;

const RULE_MESSAGES = [
  "can't be blank",
  'is invalid',
  'is too long',
  'must be greater than 0',
  'has already been taken',
];
/** A translation must not contain its key, because the tests search answers for untranslated keys. */
const sentence = (language: string, message: string): string => `${language}: ${message.replaceAll('.', ' ')}`;
const translationsOf = (language: string) =>
  Object.fromEntries(messages.map((message) => [message, sentence(language, message)]));

const clientWith = (token: string): Client => api.withOrigins({ ...shop, token }, [api.origin]);

beforeAll(async () => {
  api = await testApi();
  routes = api.container.get(TOKENS.Routes);
  messages = [...new Set([...routes.flatMap((route) => [...errorKeysOf(route).values()].flat()), ...RULE_MESSAGES])];
  shop = await api.app();
  const translations = { sr: translationsOf('sr'), de: translationsOf('de') };
  const { status } = await shop.patch('/app/settings', { default_language: 'sr', translations });
  expect(status).toBe(200);
  const customer = await newCustomer(shop, 'mira@example.com');
  phone = clientWith(await startSession(shop, customer));
}, 120_000);
afterAll(() => api.close());

const stripEchoes = ({ text }: Reply): string => text.replaceAll(/"(?:input|product|fields|received_value)":/g, '');

describe('a key with a translation', () => {
  const BAD_VALUES: readonly unknown[] = [null, ' ', 'a\0b', 'x'.repeat(6_000), -1, 0.5, [null], [{}]];
  const CONCURRENT_CALLS = 8;

  function makeInvalidCalls(): [Route, () => Promise<Reply>][] {
    const reference = buildOpenApiDocument(routes, API_VERSION);
    const paths = reference['paths'] as Record<string, Record<string, { requestBody?: { content: object } }>>;
    return routes
      .filter(({ path, upload }) => !upload && !/settings|current/.test(path))
      .flatMap((route) => {
        const path = route.path.replaceAll(/:\w+/g, '987654321');
        const content =
          paths[BASE_PATH + route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method]?.requestBody?.content;
        const { schema } =
          (content as Record<string, { schema?: Record<string, unknown> }>)?.['application/json'] ?? {};
        const client = route.caller === 'app' ? shop : phone;
        const callOf = (callPath: string, requestBody?: unknown) => () =>
          route.method === 'get' ? client.get(callPath) : client[route.method](callPath, requestBody);
        const queries = Object.keys(route.query ?? {}).map((name) => callOf(`${path}?${name}=x`, {}));
        const fields = schema ? new BodySchema(reference, schema) : undefined;
        const bodies =
          fields?.fields().flatMap((field) => BAD_VALUES.map((value) => fields.exampleWith(field, value, {}))) ?? [];
        const allCalls = [callOf(path, {}), ...queries, ...bodies.map((exampleBody) => callOf(path, exampleBody))];
        return allCalls.map((sendCall): [Route, () => Promise<Reply>] => [route, sendCall]);
      });
  }

  it('is never returned untranslated by an invalid call', async () => {
    const pendingCalls = makeInvalidCalls();
    const answers: string[] = [];
    while (pendingCalls.length > 0) {
      const replies = pendingCalls.splice(0, CONCURRENT_CALLS).map(async ([{ method, path }, call]) => {
        const reply = await call();
        return `${method} ${path}: ${reply.status} ${stripEchoes(reply)}`;
      });
      answers.push(...(await Promise.all(replies)));
    }
    const hasKey = (text: string): boolean =>
      /"(?:API|Stocks)\.\w/.test(text) || RULE_MESSAGES.some((rule) => text.includes(`"${rule}"`));
    expect(answers.filter(hasKey).map((text) => text.slice(0, 200))).toEqual([]);
    expect(new Set(answers.flatMap((text) => text.match(/"sr: [^"]+"/g) ?? [])).size).toBeGreaterThan(60);
  }, 60_000);
});

describe('the language of a message', () => {
  const KEY = 'API.CustomerChannelConsents.InvalidState';
  const CALL_PATH = '/customer/consents/master';
  const errorsOf = async (client: Client, path = CALL_PATH): Promise<unknown> =>
    (await client.put(path, {})).body.errors;
  const issueClient = async (language?: string): Promise<Client> =>
    clientWith((await api.container.get(TOKENS.Apps).issueToken({ appId: shop.appId, language })) as string);
  const getEmailErrors = async (client: Client): Promise<unknown> =>
    (await client.post('/customers', { customer: { email: 'x', first_name: 'A', last_name: 'B' } })).body.errors.email;

  it.each([
    ['de', sentence('de', KEY)],
    ['sr', sentence('sr', KEY)],
    [undefined, sentence('sr', KEY)],
    ['fr', KEY],
  ])('is the language of the session, or else of the app: %s', async (language, message) => {
    const customer = await newCustomer(shop, `${language}@example.com`);
    const client = clientWith(await startSession(shop, { ...customer, language }));
    expect(await errorsOf(client)).toEqual({ CustomerChannelConsents: [message], fields: { state: null } });
  });

  it.each([
    ['de', 'de: is invalid'],
    [undefined, 'sr: is invalid'],
    ['fr', 'is invalid'],
  ])('is the language of the token, or else of the app: %s', async (language, message) => {
    expect(await getEmailErrors(await issueClient(language))).toEqual([message]);
  });

  it('is the language of an anonymous session', async () => {
    const client = clientWith(await startSession(shop, { language: 'de' }));
    const required = 'API.CustomerChannelConsents.CustomerRequired';
    expect(await errorsOf(client)).toEqual({ CustomerChannelConsents: [sentence('de', required)] });
  });

  it('is the language of a refused token when the token is known', async () => {
    const tokenError = (client: Client) => client.get('/customer/attendances').then(({ body }) => body.errors.token);
    const customer = await newCustomer(shop, 'ended@example.com');
    const [endedClient, expiredClient] = await Promise.all(
      [{}, { expires_in: 1 }].map(async (options) =>
        clientWith(await startSession(shop, { ...customer, ...options, language: 'de' })),
      ),
    );
    await endedClient?.delete('/sessions/current');
    api.clock.forward({ seconds: 2 });
    expect(await tokenError(endedClient as Client)).toBe(sentence('de', 'API.Tokens.Revoked'));
    expect(await tokenError(expiredClient as Client)).toBe(sentence('de', 'API.Tokens.Expired'));
    expect(await tokenError(shop)).toBe(sentence('sr', 'API.Tokens.Invalid'));
    expect(await tokenError(clientWith('unknown'))).toBe('API.Tokens.Invalid');
  });

  it('is the language of the token for idempotency errors', async () => {
    const keyedPhone = phone.keyed('one');
    await keyedPhone.put(CALL_PATH, { state: 'granted' });
    const { body } = await keyedPhone.put(CALL_PATH, { state: 'revoked' });
    expect(body.errors).toEqual({ Idempotency: [sentence('sr', 'API.Idempotency.KeyReused')] });
  });
});
