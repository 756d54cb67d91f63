import { RawHttp } from '../../testing/raw-http.js';
import { testApi, type Client, type TestApi } from '../../testing/test-api.js';
import { TOKENS } from '../../tokens.js';
import { BASE_PATH } from '../../http/base-path.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

const post = (fields: object = {}) => shop.post('/upload_tokens', { upload_token: fields });
const browserWith = async (fields: object = {}): Promise<Client> =>
  api.clientWith(shop.appId, (await post(fields)).body.data.access_token);
const upload = (client: Client, fields: Readonly<Record<string, string>> = {}, name = 'a.txt') =>
  client.upload('/cdn/files', { name, bytes: Buffer.from('words') }, fields);
const NOT_GRANTED = [403, { errors: { Tokens: ['API.Tokens.UploadNotGranted'] } }];

describe('POST /upload_tokens', () => {
  it('creates a token that is valid for ten minutes and that no list shows', async () => {
    const { status, body } = await post({ folder: 'promo' });
    expect([status, body.data]).toEqual([
      201,
      {
        id: expect.any(Number),
        access_token: expect.stringMatching(/^bo_upload_\d+_[\w-]{43}$/),
        folder: 'promo',
        preset_id: null,
        expires_at: new Date(api.clock.now().getTime() + 600_000).toISOString().slice(0, 19),
        created_by: expect.any(Number),
      },
    ]);
    expect((await shop.get('/access_tokens')).body.data).toHaveLength(1);
    expect((await shop.get('/audit_log?action=access_token.create')).body.data[0]).toMatchObject({
      subject_id: body.data.id,
      after: { scopes: ['media:write'] },
    });
  });

  it('creates a token that can be revoked by its id', async () => {
    const { body } = await post();
    const browser = api.clientWith(shop.appId, body.data.access_token);
    expect((await upload(browser)).status).toBe(201);
    expect((await shop.delete(`/access_tokens/${body.data.id}`)).status).toBe(204);
    expect((await upload(browser)).status).toBe(401);
    expect((await shop.patch(`/access_tokens/${body.data.id}`, { access_token: { name: 'Mine' } })).status).toBe(404);
  });

  it.each([
    ['a day and a second', { expires_in: 86_401 }, 'expires_in'],
    ['an invalid folder', { folder: '../x' }, 'folder'],
  ])('refuses %s', async (_, fields, field) => {
    const { status, body } = await post(fields);
    expect([status, Object.keys(body.errors)]).toEqual([422, [field]]);
  });
});

describe('an upload token', () => {
  it('uploads into its folder, even when the form does not name the folder', async () => {
    const browser = await browserWith({ folder: 'promo' });
    const uploads = [await upload(browser), await upload(browser, { folder: 'promo' }, 'b.txt')];
    expect(uploads.map(({ status, body }) => [status, body.data.folder])).toEqual([
      [201, 'promo'],
      [201, 'promo'],
    ]);
  });

  it('is refused for a preset that the app does not have', async () => {
    const { body: others } = await (await api.app()).get('/cdn_upload_presets');
    for (const id of [99_999, others.data[0].id]) {
      const { status, body } = await post({ preset_id: id });
      expect([status, body]).toEqual([422, { errors: { preset_id: ['is invalid'] } }]);
    }
  });

  it('is refused for another folder or preset', async () => {
    const { body } = await shop.get('/cdn_upload_presets');
    const presetId = String(body.data[0].id);
    const browser = await browserWith({ folder: 'promo' });
    for (const fields of [{ folder: 'other' }, { folder: 'promo/below' }, { preset_id: presetId }]) {
      const { status, body: answer } = await upload(browser, fields);
      expect([status, answer]).toEqual(NOT_GRANTED);
    }
    const presetBrowser = await browserWith({ preset_id: Number(presetId) });
    expect((await upload(presetBrowser, { preset_id: presetId })).status).toBe(201);
    expect((await upload(presetBrowser, {}, 'b.txt')).status).toBe(201);
    expect((await upload(presetBrowser, { folder: 'promo' }, 'c.txt')).status).toBe(403);
    expect((await shop.get('/cdn/files')).body.data.total_count).toBe(2);
  });

  it('is refused by every other call', async () => {
    const { body } = await post();
    const http = new RawHttp(api.origin);
    const routes = api.container
      .get(TOKENS.Routes)
      .filter(({ method, path }) => `${method} ${path}` !== 'post /cdn/files');
    const calls = routes.map(({ method, path }) =>
      http.call({
        method: method.toUpperCase(),
        path: BASE_PATH + path.replaceAll(/:\w+/g, '1'),
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${body.data.access_token}` },
        body: '{}',
      }),
    );
    const answers = await Promise.all(calls);
    http.close();
    expect(routes.length).toBeGreaterThan(80);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['401 {"errors":{"token":"API.Tokens.Invalid"}}']),
    );
  });

  it('expires, and is removed thirty days later', async () => {
    const { body } = await post({ expires_in: 60 });
    const browser = api.clientWith(shop.appId, body.data.access_token);
    const failureOf = async () => (await upload(browser)).body.errors.token;
    api.clock.forward({ seconds: 60 });
    expect(await failureOf()).toBe('API.Tokens.Expired');
    api.clock.forward({ hours: 30 * 24, seconds: 1 });
    await api.container.get(TOKENS.Database).sessions.purgeEnded();
    api.clock.forward({ seconds: 2 });
    expect(await failureOf()).toBe('API.Tokens.Invalid');
  });
});
